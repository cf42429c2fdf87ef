/** Text that somebody else wrote: isolated from the text around it, and cut with the whole on demand. */
import { useState } from 'react';
import { plain } from '../ui/text';

const MOST_SHOWN = 280;

/** One line of text for a canvas or a list: no line breaks, no control or direction characters, cut. */
export function oneLine(text: string, most: number): string {
  const head = plain(text.slice(0, most * 4)).trim();
  const letters = [...head];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.length === 0 && text.length > 0 ? '·' : head;
}

export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MOST_SHOWN + 40;
  return (
    <>
      <bdi className="kg-text">{isLong && !isWhole ? `${text.slice(0, MOST_SHOWN)}…` : text}</bdi>
      {isLong && (
        <button className="button plain small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </>
  );
}

const NAMES: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Infinity, 'year'],
];

export function ago(at: number, now = Date.now()): string {
  let amount = (now - at) / 1000;
  if (amount < 45) return 'just now';
  for (const [most, unit] of NAMES) {
    if (Math.round(amount) < most) return new Intl.RelativeTimeFormat('en').format(-Math.round(amount), unit);
    amount /= most;
  }
  return '';
}

export function When({ at }: { at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {ago(at)}
    </time>
  );
}
