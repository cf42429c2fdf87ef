/** Small pictures of what changes did to a part: drawn by the server one after the other, only when they are seen, and kept. */
import { drawPart } from '../api/pictures';

const SIZE = [132, 100];
const MOST_KEPT = 150;

const kept = new Map<string, Promise<string | null>>();
let queue: Promise<unknown> = Promise.resolve();

/** The part of a function after a change, with what the change added and removed in colour; null if it has no picture. */
export function thumbnail(project: string, functionId: number, revision: number): Promise<string | null> {
  const key = `${project}/${functionId}/${revision}`;
  const known = kept.get(key);
  if (known) return known;
  const body = { function_id: functionId, revision, size: SIZE, time_limit: 5 };
  // Before the change there may be nothing to compare with.
  const drawn = queue.then(() => drawPart(project, { ...body, since: revision - 1 }).catch(() => drawPart(project, body))).catch(() => null);
  queue = drawn;
  kept.set(key, drawn);
  for (const [old, picture] of kept) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(old);
    void picture.then((address) => address && URL.revokeObjectURL(address));
  }
  return drawn;
}
