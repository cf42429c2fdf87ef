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

/** True on a screen where the panels lie over the canvas, such as that of a phone. */
export const isNarrow = (): boolean => innerWidth <= 760;

export const usePrefs = create<Prefs>()(() => ({
  theme: 'system',
  left: !isNarrow(),
  right: !isNarrow(),
  leftWidth: innerWidth < 1200 ? 200 : 236,
  rightWidth: innerWidth < 1200 ? 336 : 360,
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
