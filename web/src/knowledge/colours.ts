/** Colours of the knowledge graph, in both themes: by type or community, told apart by lightness too. */

export type Rgb = [number, number, number];

/** Nine hues of about equal weight; what comes after them is grey. */
const LIGHT = ['#3b74c4', '#c2691c', '#2f8a6b', '#a3479b', '#a38a12', '#c4474f', '#4a9aac', '#7a62c9', '#7d8b34'];
const DARK = ['#78a9f0', '#eaa15c', '#63c4a1', '#d68fd0', '#d3bd4e', '#ee8a90', '#7fcbdc', '#ab98f2', '#b3c268'];

export interface Theme {
  isDark: boolean;
  ground: Rgb;
  text: Rgb;
  quiet: Rgb;
  edge: Rgb;
  accent: Rgb;
  agent: Rgb;
  bad: Rgb;
}

export function hex(text: string): Rgb {
  const number = parseInt(text.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

export function css(colour: Rgb, alpha = 1): string {
  return `rgb(${colour.join(' ')} / ${alpha})`;
}

/** The colour of the type or community at this rank. */
export function colourAt(rank: number, theme: Theme): Rgb {
  const value = (theme.isDark ? DARK : LIGHT)[rank];
  return value === undefined ? theme.quiet : hex(value);
}

/** The page's tokens as numbers, read where they apply. */
export function themeOf(element: Element): Theme {
  const probe = document.createElement('i');
  element.append(probe);
  const token = (name: string): Rgb => {
    probe.style.color = `var(${name})`;
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue];
  };
  const ground = token('--ground');
  const theme = {
    isDark: ground[0] + ground[1] + ground[2] < 384,
    ground,
    text: token('--text'),
    quiet: token('--text-3'),
    edge: token('--line-strong'),
    accent: token('--accent'),
    agent: token('--agent'),
    bad: token('--bad'),
  };
  probe.remove();
  return theme;
}

/** Ranks of types, most frequent first; a type keeps its rank while the page is open, so that no colour jumps. */
export function rankTypes(counts: Map<string, number>, known: Map<string, number>): Map<string, number> {
  const ranks = new Map(known);
  const fresh = [...counts].filter(([type]) => !ranks.has(type)).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  for (const [type] of fresh) ranks.set(type, ranks.size);
  return ranks;
}
