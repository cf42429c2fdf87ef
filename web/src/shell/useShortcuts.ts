/** Keys that work everywhere on the page. */
import { useEffect, useState } from 'react';
import { get, set } from '../store/state';
import { undo } from '../store/write';

const SEARCH = 'fibula-search';

export function openSearch(): void {
  window.dispatchEvent(new Event(SEARCH));
}

export function useShortcuts(): { search: boolean; closeSearch: () => void } {
  const [search, setSearch] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || get().project === null) return;
      const isText = !!(event.target as HTMLElement | null)?.closest('input:not([readonly]), textarea');
      const key = event.key.toLowerCase();
      if (key === 'k') setSearch((old) => !old);
      else if (key === 'j') set({ bottom: get().bottom === null ? 'activity' : null });
      else if (key === 'z' && !isText) void undo(event.shiftKey);
      else if (key === 'y' && !isText) void undo(true);
      else return;
      event.preventDefault();
    };
    const onSearch = () => setSearch(true);
    window.addEventListener('keydown', onKey);
    window.addEventListener(SEARCH, onSearch);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener(SEARCH, onSearch);
    };
  }, []);
  return { search, closeSearch: () => setSearch(false) };
}
