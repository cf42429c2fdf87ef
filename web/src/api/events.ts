/** The stream of changes, `/api/events`: read with fetch, since an EventSource cannot send the server's token. */
import { headers, type Schema } from './client';

export type Change = Schema['Change'];

export interface Listener {
  change(change: Change): void;
  /** The missed changes are not in the log any more, or the stream began anew: read the state again. */
  resync(): void;
  /** Projects were created, renamed, deleted or restored. */
  projects(): void;
  state(state: 'live' | 'offline' | 'unauthorized'): void;
}

interface Message {
  event: string;
  id: string | null;
  data: string;
}

/** Splits a text into server-sent events; returns the messages and the rest that is not complete yet. */
export function parse(text: string): { messages: Message[]; rest: string } {
  const blocks = text.replace(/\r\n?/g, '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const messages: Message[] = [];
  for (const block of blocks) {
    const message: Message = { event: 'message', id: null, data: '' };
    let hasData = false;
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') message.event = value;
      if (field === 'id') message.id = value;
      if (field === 'data') {
        message.data += (hasData ? '\n' : '') + value;
        hasData = true;
      }
    }
    if (hasData || message.event !== 'message') messages.push(message);
  }
  return { messages, rest };
}

const MOST_WAIT_MS = 4000;
/** The server sends a comment every 15 seconds; a stream without any has lost its server. */
const SILENCE_MS = 40_000;

/** Follows the changes until the returned function is called; closed while the tab is hidden. */
export function follow(listener: Listener): () => void {
  let last: string | null = null;
  let current: AbortController | null = null;
  let stopped = false;

  async function read(signal: AbortController): Promise<void> {
    const more: Record<string, string> = { Accept: 'text/event-stream' };
    if (last !== null) more['Last-Event-ID'] = last;
    const response = await fetch('/api/events', { headers: headers(more), signal: signal.signal, cache: 'no-store' });
    if (response.status === 401) {
      listener.state('unauthorized');
      return;
    }
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    if (last === null) listener.resync();
    else listener.projects();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      listener.state('live');
      const silence = setTimeout(() => signal.abort(), SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const parsed = parse(text + value);
      text = parsed.rest;
      for (const message of parsed.messages) {
        if (message.id !== null) last = message.id;
        if (message.event === 'resync') listener.resync();
        else if (message.event === 'projects') listener.projects();
        else if (message.event === 'change') listener.change(JSON.parse(message.data) as Change);
      }
    }
  }

  async function loop(): Promise<void> {
    const signal = new AbortController();
    current = signal;
    let wait = 150;
    while (!stopped && current === signal) {
      try {
        await read(signal);
        wait = 150;
      } catch {
        if (current !== signal) return;
      }
      if (stopped || current !== signal) return;
      if (signal.signal.aborted) return void loop();
      listener.state('offline');
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, MOST_WAIT_MS);
    }
  }

  function visibility(): void {
    if (document.hidden) {
      const old = current;
      current = null;
      old?.abort();
    } else if (current === null) {
      void loop();
    }
  }

  document.addEventListener('visibilitychange', visibility);
  if (!document.hidden) void loop();
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', visibility);
    current?.abort();
  };
}
