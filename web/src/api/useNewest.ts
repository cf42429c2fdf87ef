/** Requests that follow what changes quickly. */
import { useEffect, useRef } from 'react';

/** A request that takes longer is given up for a newer one. */
const PATIENCE_MS = 700;

interface Running {
  since: number;
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
    const now = running.current;
    if (now && wanted.key !== null && performance.now() - now.since < PATIENCE_MS) return;
    now?.stop.abort();
    running.current = null;
    if (wanted.key === null || wanted.key === done.current) {
      done.current = wanted.key;
      return;
    }
    const mine = { since: performance.now(), stop: new AbortController() };
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
    const timer = setTimeout(() => next.current(), quietMs);
    return () => clearTimeout(timer);
  }, [key, quietMs]);
  useEffect(() => () => running.current?.stop.abort(), []);
}
