/** Long work: each with its share done, and the click that cancels it. Quick work is never shown. */
import { create } from 'zustand';
import { followProgress, requestName } from '../api/progress';

export interface Work {
  id: string;
  label: string;
  since: number;
  /** From 0 to 1; null while it is not known. */
  share: number | null;
  cancel: () => void;
}

export const useWork = create<{ works: Work[] }>()(() => ({ works: [] }));

const change = (edit: (works: Work[]) => Work[]) => useWork.setState(({ works }) => ({ works: edit(works) }));

/** Time after which work is long: it is shown, and its progress is followed. */
const LONG_MS = 400;

export interface Running {
  signal: AbortSignal;
  /** Name of the request to be sent. */
  request: string;
}

/** Runs long work. Returns null if the person cancelled it. */
export async function work<T>(label: string, run: (running: Running) => Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const followed = new AbortController();
  const id = requestName();
  const timer = setTimeout(() => {
    change((works) => [...works, { id, label, since: Date.now(), share: null, cancel: () => stop.abort() }]);
    const report = (share: number | null) => change((works) => works.map((one) => (one.id === id ? { ...one, share } : one)));
    // Without its progress the work goes on, and shows its time instead.
    followProgress(id, report, followed.signal).catch(() => {});
  }, LONG_MS);
  try {
    return await run({ signal: stop.signal, request: id });
  } catch (error) {
    if (stop.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    followed.abort();
    change((works) => works.filter((one) => one.id !== id));
  }
}
