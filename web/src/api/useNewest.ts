/** Requests that follow what changes quickly. */
import { useEffect, useRef } from 'react';

/** A request that takes longer is given up for a newer one, once nothing has changed for some time. */
const PATIENCE_MS = 700;
const REST_MS = 300;

interface Running {
  since: number;
  key: string;
  stop: AbortController;
}

/**
 * Runs `work` for each new key, one after the other: what is overtaken while another one runs is left out. So the answers follow
 * a drag as fast as they can be had. Nothing runs for null.
 */
export function useNewest(key: string | null, work: (signal: AbortSignal) => Promise<void>, quietMs = 0): void {
  const latest = useRef({ key, work });
  latest.current = { key, work };
  const running = useRef<Running | null>(null);
  const done = useRef<string | null>(null);
  const next = useRef(() => {});
  next.current = () => {
    const wanted = latest.current;
    if (wanted.key === null || wanted.key === done.current) {
      done.current = wanted.key;
      return;
    }
    const mine = { since: performance.now(), key: wanted.key, stop: new AbortController() };
    running.current = mine;
    done.current = wanted.key;
    void wanted
      .work(mine.stop.signal)
      .catch((error: unknown) => {
        if (!mine.stop.signal.aborted) throw error;
      })
      .finally(() => {
        if (running.current !== mine) return;
        running.current = null;
        next.current();
      });
  };
  useEffect(() => {
    const giveUp = () => {
      running.current?.stop.abort();
      running.current = null;
      next.current();
    };
    if (key === null) return giveUp();
    const now = running.current;
    if (now?.key === key) return;
    const left = now ? Math.max(REST_MS, PATIENCE_MS - (performance.now() - now.since)) : quietMs;
    // The newest one may run by then.
    const timer = setTimeout(() => (running.current?.key === key ? undefined : giveUp()), left);
    return () => clearTimeout(timer);
  }, [key, quietMs]);
  useEffect(() => () => running.current?.stop.abort(), []);
}
