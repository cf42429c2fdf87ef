/** Progress of a request that is named: `/api/progress/{request}`, read with fetch, since an EventSource cannot send the server's token. */
import { headers, type Schema } from './client';
import { parse } from './events';

type WorkDone = Schema['WorkDone'];

/** A name for a request that nobody else has. */
export function requestName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A share of work from 0 to 1; null while it is not known. */
type OnShare = (share: number | null) => void;

/**
 * Follows a request until it ends or the signal stops it. The share of a stage never shrinks. A stage that is complete, such as the
 * arrival of the request, says nothing about the next one: the share is unknown until that reports.
 */
export async function followProgress(request: string, onShare: OnShare, signal: AbortSignal): Promise<void> {
  const response = await fetch(`/api/progress/${request}`, { headers: headers({ Accept: 'text/event-stream' }), signal, cache: 'no-store' });
  if (!response.ok || !response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let most = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { messages, rest } = parse(text + value);
    text = rest;
    for (const message of messages) {
      if (message.event !== 'progress') continue;
      const work = JSON.parse(message.data) as WorkDone;
      most = work.done < work.total ? Math.max(most, work.done / work.total) : 0;
      onShare(most || null);
    }
  }
}

/** Work of less time needs no number. */
const LONG_MS = 600;

/** Sends a request under a name, and follows it once it takes long. Without its progress it goes on as well. */
export async function withProgress<T>(send: (request: string) => Promise<T>, onShare: OnShare, signal: AbortSignal): Promise<T> {
  const request = requestName();
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => followProgress(request, onShare, stop.signal).catch(() => {}), LONG_MS);
  try {
    return await send(request);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    abort();
  }
}
