/** What a person prefers, kept in this browser. */
import { create } from 'zustand';

export type Theme = 'system' | 'light' | 'dark';

interface Prefs {
  theme: Theme;
  left: boolean;
  right: boolean;
  leftWidth: number;
  rightWidth: number;
}

const KEY = 'fibula-page';

function stored(): Partial<Prefs> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Prefs>;
  } catch {
    return {};
  }
}

export const usePrefs = create<Prefs>()(() => ({
  theme: 'system',
  left: innerWidth > 760,
  right: innerWidth > 760,
  leftWidth: 236,
  rightWidth: innerWidth < 1200 ? 300 : 360,
  ...stored(),
}));

usePrefs.subscribe((prefs) => {
  localStorage.setItem(KEY, JSON.stringify(prefs));
  applyTheme(prefs.theme);
});

export function applyTheme(theme: Theme = usePrefs.getState().theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
