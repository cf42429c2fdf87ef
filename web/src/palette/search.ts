/** Ranks names for a search: whole, then beginnings, then parts, then the text, then letters of a name in order. */

/** Rank of what has the words in its text. */
const IN_TEXT = 20;
/** Number of letters that nearly every text has. */
const FEW = 2;

export function score(query: string, names: (string | null | undefined)[], text = ''): number {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return 1;
  let best = wanted.length > FEW && text.toLowerCase().includes(wanted) ? IN_TEXT : 0;
  names.forEach((name, index) => {
    if (!name) return;
    best = Math.max(best, one(wanted, name.toLowerCase()) - index * 0.5);
  });
  return best;
}

function one(wanted: string, name: string): number {
  if (name === wanted) return 100;
  if (name.startsWith(wanted)) return 80 - Math.min(20, name.length - wanted.length);
  const at = name.indexOf(wanted);
  if (at > 0) return 50 - Math.min(20, at);
  let letter = 0;
  for (const character of name) if (character === wanted[letter]) letter++;
  return letter === wanted.length && wanted.length > 1 ? 12 : 0;
}
