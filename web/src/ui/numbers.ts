/** Numbers as people read, write and drag them: short at ports, rounded to their error in measures, with the sign of their unit. */

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
  const digits = Math.ceil(-Math.log10(step) + 1e-9);
  return Number((Math.round(value / step) * step).toFixed(Math.max(0, Math.min(12, digits))));
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

const SIGNS: Record<string, string> = { micron: 'µm', millimeter: 'mm', centimeter: 'cm', inch: 'in', foot: 'ft', meter: 'm', gram: 'g' };
const POWERS: Record<string, string> = { '2': '²', '3': '³', '4': '⁴', '5': '⁵' };

/** The sign of a unit: `millimeter^3` is mm³. */
export function unitSign(unit: string): string {
  const [name = '', power] = unit.split('^');
  return (SIGNS[name] ?? name) + (power === undefined ? '' : (POWERS[power] ?? `^${power}`));
}

/** A number with thin spaces between thousands and a true minus. */
export function number(value: number, decimals?: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || (size < 1e-6 && (decimals === undefined || decimals > 8)))) return value.toExponential(2).replace('e+', 'e').replace('-', '−');
  const text = decimals === undefined ? String(Number(size.toPrecision(6))) : size.toFixed(decimals);
  const [whole = '0', part] = text.split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u2009') : whole;
  const isZero = Number(text) === 0;
  return `${value < 0 && !isZero ? '−' : ''}${grouped}${part === undefined ? '' : `.${part}`}`;
}

export interface Rounded {
  value: string;
  error: string | null;
}

/** Most digits of a value: more are on the click that shows all. */
const MOST_DIGITS = 6;

/** Rounds an error to one digit, or two if it begins with 1 or 2, and the value to the same place, but to no more than six digits. */
export function rounded(value: number, error: number | null): Rounded {
  if (error === null || !(error > 0) || !Number.isFinite(error)) return { value: number(value), error: null };
  const power = Math.floor(Math.log10(error));
  const digits = error / 10 ** power < 2.95 ? 2 : 1;
  const finest = value === 0 ? -Infinity : Math.floor(Math.log10(Math.abs(value))) + 1 - MOST_DIGITS;
  const place = Math.max(power - digits + 1, finest);
  const step = 10 ** place;
  const decimals = Math.max(0, -place);
  const round = (from: number) => (place > 0 ? Math.round(from / step) * step : from);
  const isSeen = Number(error.toFixed(Math.min(decimals, 20))) > 0;
  return { value: number(round(value), Math.min(decimals, 20)), error: isSeen ? number(round(error), decimals) : null };
}

/** A range for a slider around a value: from 0 to a round number beyond it, or to both sides of 0. */
export function rangeOf(value: number): [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [-10, 10];
  const reach = roundUp(Math.abs(value) * 2);
  return value > 0 ? [0, reach] : [-reach, 0];
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const share = value / power;
  const round = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => share <= step * 1.0000001) ?? 10;
  return Number((round * power).toPrecision(3));
}

/** Step of a slider: a round number, at least 200 steps of which are in the range. */
export function sliderStep([low, high]: [number, number]): number {
  const most = (high - low) / 200;
  const power = 10 ** Math.floor(Math.log10(most));
  const share = most / power;
  return Number((power * (share >= 5 ? 5 : share >= 2 ? 2 : 1)).toPrecision(3));
}
