/** The button of the mark tool, and its key. */
import { useEffect } from 'react';
import { isTyping } from '../graph/useCanvasKeys';
import { setView } from '../preview/state';
import { get } from '../store/state';
import { setMarks, useMarks } from './store';

export function MarkButton() {
  const isPointing = useMarks((state) => state.isPointing);
  const toggle = () => {
    setMarks({ isPointing: !useMarks.getState().isPointing });
    setView({ ruler: null });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'm' || isTyping(event.target)) return;
      // With a node selected, M in the graph mutes it.
      const isInPreview = !!(event.target as HTMLElement | null)?.closest('.preview');
      if (!isInPreview && get().selection.length > 0) return;
      toggle();
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, []);
  return (
    <button className="icon" aria-label="Mark a place" title="Mark a place (M)" aria-keyshortcuts="M" aria-pressed={isPointing} onClick={toggle}>
      <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
        <path d="M8 14.500S3.500 10 3.500 6.300a4.500 4.500 0 0 1 9 0C12.500 10 8 14.500 8 14.500ZM8 7.800a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z" />
      </svg>
    </button>
  );
}
