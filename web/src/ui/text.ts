/** Characters that direct or hide what follows them. */
const SHAPING = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A sentence with names in it: without characters by which a name would turn or hide the words after it. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(SHAPING, '');
}

/** The same, with a capital. */
export function sentence(text: string): string {
  return plain(text.charAt(0).toUpperCase() + text.slice(1));
}

/** A text of at most so many characters, without its middle if it is longer: names of a series differ at their ends. */
export function clipped(text: string, most: number): string {
  const letters = [...text];
  const half = (most - 1) >> 1;
  return letters.length > most ? `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}` : text;
}
