/** Numbers as texts. */

/** A number as short as it can be trusted: at most six significant digits. */
export function short(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

/** Any value of a port, in a few characters. */
export function shown(value: unknown, digits = 4): string {
  if (typeof value === 'number') return short(value, digits);
  if (Array.isArray(value)) {
    if (value.length > 4) return '4 × 4';
    return value.map((part) => shown(part, Math.min(digits, 3))).join(', ');
  }
  if (value === null || value === undefined) return '';
  return String(value);
}

/** The step of dragging a number: a hundredth of its order of magnitude. */
export function stepOf(value: number): number {
  const size = Math.abs(value);
  if (size < 1e-9) return 0.1;
  return 10 ** Math.max(-6, Math.floor(Math.log10(size)) - 1);
}

/** Rounds to a multiple of a step, without the noise of binary fractions. */
export function toStep(value: number, step: number): number {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  return Number((Math.round(value / step) * step).toFixed(Math.min(digits, 12)));
}

/** Reads a number as people write it; null if it is none. */
export function parseNumber(text: string): number | null {
  const plain = text.trim().replace(/\s/g, '').replace(/^([-+]?\d+),(\d+)$/, '$1.$2').replace('−', '-');
  if (plain === '' || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
  return Number(plain);
}

/** Reads several numbers, separated by commas, semicolons or spaces. */
export function parseNumbers(text: string): number[] | null {
  const parts = text.replace(/[[\]()]/g, ' ').split(/[\s,;]+/).filter(Boolean);
  const numbers = parts.map(parseNumber);
  return numbers.every((number) => number !== null) ? numbers : null;
}
