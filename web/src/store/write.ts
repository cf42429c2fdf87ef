/** Writes, each at the revision that the person saw. */
import { api, ApiError } from '../api/client';
import { refresh, refused } from './session';
import { dismiss, get, notify, notifyRefusal, type Notice } from './state';
import { sentence } from '../ui/text';

type Edit = Record<string, object>;

export interface WriteResult {
  revision: number;
  ids: Record<string, number>;
  results: unknown[];
}

interface Options {
  /** Name in the history. */
  label?: string;
  /** What the write depends on; if this is the same after a conflict, the write is repeated at the new revision. */
  basis?: () => unknown;
  /** Handles a refusal; returns the click that solves it, or null if it has shown the refusal itself. */
  solve?: (error: ApiError) => Notice['action'] | null;
}

const MOST_REPEATS = 5;

/** Writes go one after the other, each at the revision that the one before left. */
let last: Promise<unknown> = Promise.resolve();

/** Applies edits as one change. Returns null if the server refused them, and tells the person why. */
export function write(edits: Edit[], options: Options = {}): Promise<WriteResult | null> {
  const { project } = get();
  const result = last.then(() => writeNow(project, edits, options));
  last = result.catch(() => null);
  return result;
}

async function writeNow(project: string | null, edits: Edit[], options: Options): Promise<WriteResult | null> {
  if (project === null || edits.length === 0) return null;
  if (get().project !== project) return notWritten(project);
  const basis = options.basis ?? wholeGraph;
  const before = JSON.stringify(basis());
  let expected = get().revision;
  for (let repeat = 0; ; repeat++) {
    try {
      const body = { edits, ...(options.label ? { label: options.label } : {}) } as never;
      const applied = await api.post('/api/projects/{project}/edits', { path: { project }, query: { expected_revision: expected }, body });
      await refresh();
      return { revision: applied.revision, ids: applied.ids as Record<string, number>, results: applied.results };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isLost = error.code === 'unreachable';
      if (isLost) {
        refused(error);
        if (!(await serverIsBack())) return null;
      } else if (!error.isConflict) {
        const action = options.solve?.(error);
        if (error.code === 'unknown_project') refused(error);
        else if (action !== null) notifyRefusal(error.refusal, action);
        return null;
      }
      await refresh();
      if (get().project !== project) return notWritten(project);
      const { revision, history } = get();
      if (isLost && revision === expected) continue;
      // The write had arrived, and only its answer was lost.
      if (isLost && history.some((item) => item.revision === expected + 1 && item.client === 'page')) return { revision, ids: {}, results: [] };
      const isUntouched = JSON.stringify(basis()) === before;
      if (isUntouched && revision !== expected && repeat < MOST_REPEATS) {
        expected = revision;
        continue;
      }
      // What the person changed was changed by somebody else in between: the person decides.
      const since = (error.refusal.details as { since?: string[] } | null)?.since ?? [];
      notify({
        tone: 'error',
        text: `Not written: it was changed in between${since.length > 0 ? `: ${since.at(-1)}` : ''}.`,
        hint: 'The page shows the present state.',
        action: { label: 'Write mine', run: () => void write(edits, options) },
      });
      return null;
    }
  }
}

function notWritten(project: string): null {
  notify({ tone: 'error', text: `Not written: ${project} was left before.`, isPersistent: true });
  return null;
}

const MOST_WAIT_MS = 4000;

/** Waits until the server answers; false if the person gives up the write meanwhile. */
async function serverIsBack(): Promise<boolean> {
  let isGivenUp = false;
  const action = { label: 'Discard', run: () => void (isGivenUp = true) };
  const notice = notify({ tone: 'info', text: 'Not written yet: the server does not answer.', hint: 'The page writes it when the server is back.', action, isPersistent: true });
  for (let wait = 200; !isGivenUp; wait = Math.min(wait * 2, MOST_WAIT_MS)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      if (isGivenUp) break;
      await api.get('/api/projects', { query: { limit: 1 } });
      break;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'unreachable')) throw error;
    }
  }
  dismiss(notice);
  return !isGivenUp;
}

function wholeGraph(): unknown {
  return get().graph?.nodes;
}

/** The open function's id; writes to a function need it. */
export function openFunctionId(): number | null {
  return get().graph?.function_id ?? null;
}

export async function undo(redo = false, anyone = false): Promise<void> {
  const { project } = get();
  if (project === null) return;
  try {
    const undone = await api.post('/api/projects/{project}/undo', { path: { project }, body: { redo, anyone } as never });
    await refresh();
    notify({ tone: 'info', text: sentence(undone.label) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const canOthers = !redo && !anyone && error.status === 422;
    const action = canOthers ? { label: 'Undo the last change of anyone', run: () => void undo(false, true) } : undefined;
    if (error.code === 'unreachable' || error.code === 'unknown_project') refused(error);
    else notifyRefusal(error.refusal, action);
  }
}

/** The click that takes back the last change. */
export const undoAction: Notice['action'] = { label: 'Undo', run: () => void undo() };

/** Reverts a change of anyone by its revision. */
export async function revert(revision: number): Promise<void> {
  const { project } = get();
  if (project === null) return;
  try {
    const undone = await api.post('/api/projects/{project}/undo', { path: { project }, body: { revision } as never });
    await refresh();
    notify({ tone: 'info', text: sentence(undone.label), action: undoAction });
  } catch (error) {
    refused(error);
  }
}
