/** Opens projects and functions, and keeps the state in step with the server. */
import { api, ApiError, type Schema } from '../api/client';
import { follow, type Change } from '../api/events';
import { applied } from '../graph/facts';
import { graphOf, type FunctionGraph } from '../graph/model';
import { withoutGrid } from '../graph/layout';
import { changesParts, touched, touchedFunction } from './touched';
import { get, notify, notifyRefusal, set, useStore, type State, type View } from './state';

const GLOW_MS = 6000;
/** Time for new nodes to have their places before the canvas moves to them. */
const FOLLOW_MS = 150;
const HISTORY_ROWS = 60;

export function refused(error: unknown): void {
  if (error instanceof ApiError) {
    if (error.code === 'unauthorized') set({ link: 'unauthorized' });
    else if (error.code === 'unknown_project') void followProjects();
    else if (error.code !== 'unreachable') notifyRefusal(error.refusal);
    else set({ link: 'offline' });
  } else {
    notify({ tone: 'error', text: String(error) });
  }
}

export async function loadProjects(): Promise<void> {
  const projects: Schema['ProjectInfo'][] = [];
  let cursor: string | undefined;
  do {
    const page: Schema['ProjectsListed'] = await api.get('/api/projects', { query: { limit: 200, ...(cursor ? { cursor } : {}) } });
    projects.push(...page.projects);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  set({ projects });
}

async function loadKinds(): Promise<void> {
  const kinds = new Map<string, Schema['NodeTypeInfo']>();
  let cursor: string | undefined;
  do {
    const page: Schema['NodeTypesListed'] = await api.get('/api/node-types', { query: { detail: 'full', limit: 200, ...(cursor ? { cursor } : {}) } });
    for (const kind of page.node_types) kinds.set(kind.name, kind);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  set({ kinds });
}

async function loadFunctions(project: string): Promise<Schema['FunctionInfo'][]> {
  const functions: Schema['FunctionInfo'][] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor ? { cursor } : {}) };
    const page: Schema['FunctionsListed'] = await api.get('/api/projects/{project}/functions', { path: { project }, query });
    functions.push(...page.functions);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return functions;
}

/** Reads the open project; calls during a read cause one more read after it. */
let reading: Promise<void> | null = null;
let again = false;
/** True if changes were missed, so that all that was made of functions is made again. */
let isMissed = true;

export function refresh(): Promise<void> {
  if (reading) {
    again = true;
    return reading;
  }
  reading = (async () => {
    try {
      do {
        again = false;
        await read();
      } while (again);
    } catch (error) {
      refused(error);
    } finally {
      reading = null;
    }
  })();
  return reading;
}

async function read(): Promise<void> {
  const { project, trail } = get();
  if (project === null) return;
  const path = { project };
  const open = trail.at(-1);
  const asked = open === undefined ? null : api.get('/api/projects/{project}/functions/{function_id}/graph', { path: { project, function_id: open } }).catch(missing);
  const missed = isMissed;
  isMissed = false;
  const [functions, overview, history, shown] = await Promise.all([
    loadFunctions(project),
    api.get('/api/projects/{project}/overview', { path }),
    api.get('/api/projects/{project}/history', { path, query: { limit: HISTORY_ROWS, changes: true } }),
    asked,
  ]).catch((error: unknown) => {
    isMissed ||= missed;
    throw error;
  });
  if (get().project !== project) return;
  const ids = new Set(functions.map((known) => known.function_id));
  // What was opened during the read may be newer than the list of functions; the next read knows.
  const { trail: now } = get();
  const kept = now === trail ? now.filter((id) => ids.has(id)) : now;
  const first = kept.length === 0 ? functions[0]?.function_id : undefined;
  const next = first === undefined ? kept : [first];
  const before = get();
  const { revision } = history;
  const isMoved = next.at(-1) !== open;
  const graph = isMoved || !shown ? null : newer(before.graph, shown);
  const nodes = new Set(graph?.nodes.map((node) => node.node_id));
  // One change of the state is one rendering; what is as it was keeps its identity, and is not rendered again.
  set({
    functions: unchanged(before.functions, functions),
    overview: unchanged(before.overview, overview),
    history: unchanged(before.history, history.entries),
    revision,
    functionsRevision: revision < before.revision ? revision : missed ? Math.max(revision, before.functionsRevision) : before.functionsRevision,
    trail: unchanged(before.trail, next),
    graph: graph === null && !isMoved && open !== undefined ? before.graph : unchanged(before.graph, graph),
    selection: isMoved ? [] : graph ? unchanged(before.selection, before.selection.filter((id) => nodes.has(id))) : before.selection,
  });
  const gone = next === now ? [] : now.filter((id) => !ids.has(id));
  const lost = before.functions.find((known) => known.function_id === gone.at(-1));
  if (lost) notify({ tone: 'info', text: `The function ${lost.name} was deleted.` });
  if (isMoved) again = true;
}

/** The old value if the new one is equal to it. */
function unchanged<T>(before: T, now: T): T {
  return JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** The graph that was read, or the present one if facts of later changes are in it already. */
function newer(present: FunctionGraph | null, shown: Schema['FunctionShown']): FunctionGraph {
  if (present?.function_id === shown.function_id && present.revision > shown.revision) return present;
  return withoutGrid(graphOf(shown));
}

function missing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'unknown_function') return null;
  throw error;
}

export async function openProject(project: string, functionId?: number, view: View = 'graph'): Promise<void> {
  set({
    project,
    revision: 0,
    functionsRevision: 0,
    functions: [],
    overview: null,
    history: [],
    graph: null,
    places: new Map(),
    problems: [],
    selection: [],
    glows: new Map(),
    values: new Map(),
    subject: { kind: 'build' },
    trail: functionId === undefined ? [] : [functionId],
    view,
    notices: lastingNotices(),
  });
  isMissed = true;
  again = true;
  await refresh();
}

export function closeProject(): void {
  set({ project: null, functions: [], overview: null, graph: null, trail: [], selection: [], history: [], notices: lastingNotices() });
}

/** Notices that are not about the open project. */
function lastingNotices(): State['notices'] {
  return get().notices.filter((notice) => notice.isPersistent);
}

/** Reads the list of projects, and closes the open one if it is not there any more. */
async function followProjects(): Promise<void> {
  const { project } = get();
  try {
    await loadProjects();
    const { projects } = get();
    if (project === null || get().project !== project || projects?.some((known) => known.project === project)) return;
    closeProject();
    notify({ tone: 'info', text: `The project ${project} was deleted, or has another name now.`, isPersistent: true });
  } catch (error) {
    refused(error);
  }
}

/** Opens a function on its own, or below the one that calls it. */
export async function openFunction(functionId: number, below = false): Promise<void> {
  const { trail } = get();
  const known = trail.indexOf(functionId);
  const next = known >= 0 ? trail.slice(0, known + 1) : below ? [...trail, functionId] : [functionId];
  set({ trail: next, view: 'graph', graph: null, places: new Map(), selection: [], values: new Map(), glows: new Map() });
  again = true;
  await refresh();
}

const changeListeners = new Set<(change: Change) => void>();
const resyncListeners = new Set<() => void>();

/** Calls the listener with each change, until the returned function is called. */
export function onChange(listener: (change: Change) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Calls the listener when changes were missed, so that the state has to be read again. */
export function onResync(listener: () => void): () => void {
  resyncListeners.add(listener);
  return () => resyncListeners.delete(listener);
}

function applyChange(change: Change): void {
  for (const listener of changeListeners) listener(change);
  const { project, trail, glows } = get();
  if (change.project !== project) {
    void loadProjects().catch(refused);
    return;
  }
  if (change.origin.client !== 'page') {
    const open = trail.at(-1);
    const ids = open === undefined ? [] : touched(change.edit, open);
    if (ids.length > 0) {
      const fresh = new Map(glows);
      const glow = { who: change.origin.client, kind: change.origin.kind, at: Date.now() };
      for (const id of ids) fresh.set(id, glow);
      set({ glows: fresh });
      setTimeout(() => {
        const left = new Map(get().glows);
        for (const id of ids) if (left.get(id) === glow) left.delete(id);
        set({ glows: left });
      }, GLOW_MS);
    }
  }
  // A number or a link shows at once; everything else after it has been read.
  const { graph } = get();
  const shown = graph && change.revision > graph.revision ? applied(graph, change) : graph;
  set({ functionsRevision: changesParts(change.edit) ? Math.max(get().functionsRevision, change.revision) : get().functionsRevision, graph: shown ?? graph });
  void refresh().then(() => followTo(change));
}

/** Goes to where somebody else changed something, if the person wants to follow. */
async function followTo(change: Change): Promise<void> {
  if (!get().follows || change.origin.client === 'page' || change.project !== get().project) return;
  const id = touchedFunction(change.edit);
  if (id === null || !get().functions.some((known) => known.function_id === id)) return;
  if (get().trail.at(-1) !== id) await openFunction(id);
  set({ view: 'graph' });
  const nodes = touched(change.edit, id);
  if (nodes.length > 0) setTimeout(() => window.dispatchEvent(new CustomEvent('fibula-show', { detail: nodes })), FOLLOW_MS);
}

async function resync(): Promise<void> {
  isMissed = true;
  for (const listener of resyncListeners) listener();
  try {
    await Promise.all([get().kinds.size === 0 ? loadKinds() : null, loadProjects(), refresh()]);
  } catch (error) {
    refused(error);
  }
}

/** Reads everything while the stream of changes opens, and again only if something changed in between. */
async function load(): Promise<void> {
  try {
    await Promise.all([loadKinds(), loadProjects(), refresh()]);
  } catch (error) {
    refused(error);
  }
}

async function catchUp(): Promise<void> {
  const { project, revision, kinds, projects } = get();
  if (project === null || projects === null || kinds.size === 0) return resync();
  try {
    const latest = await api.get('/api/projects/{project}/history', { path: { project }, query: { limit: 1 } });
    if (latest.revision !== revision) await resync();
  } catch (error) {
    refused(error);
  }
}

/** Notes the state of the connection, and reads what could not be read while the server was away. */
function onLink(link: State['link']): void {
  const wasOffline = get().link === 'offline';
  set({ link });
  if (wasOffline && link === 'live') void refresh();
}

/** Starts the page; returns a function that ends it. */
export function start(): () => void {
  restoreFromAddress();
  let first: Promise<void> | null = load();
  const onResync = () => {
    void (first ? first.then(catchUp) : resync());
    first = null;
  };
  const ended = [
    follow({ change: applyChange, resync: onResync, projects: () => void followProjects(), state: onLink }),
    keepAddress(),
  ];
  return () => ended.forEach((end) => end());
}

/** The address of the page names what is open: `#/PROJECT/FUNCTION`, or `#/PROJECT/knowledge`. */
function restoreFromAddress(): void {
  const [project, part] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  if (!project) return;
  const id = part === undefined ? NaN : Number(part);
  set({ project, trail: Number.isInteger(id) && part !== '' ? [id] : [], view: part === 'knowledge' ? 'knowledge' : 'graph' });
}

function keepAddress(): () => void {
  const write = (now: State, before: State) => {
    const { project, trail, view } = now;
    // An address that was just entered, and is not read yet, stays.
    if (project === before.project && trail === before.trail && view === before.view) return;
    const part = view === 'knowledge' ? 'knowledge' : trail.at(-1);
    const hash = project === null ? '' : `#/${encodeURIComponent(project)}${part === undefined ? '' : `/${part}`}`;
    if (hash !== location.hash) history.replaceState(null, '', hash || location.pathname);
  };
  const onHash = () => {
    const before = get();
    restoreFromAddress();
    const after = get();
    if (after.project !== null && (before.project !== after.project || before.trail.at(-1) !== after.trail.at(-1))) {
      void openProject(after.project, after.trail.at(-1), after.view);
    }
  };
  const end = useStore.subscribe(write);
  window.addEventListener('hashchange', onHash);
  return () => {
    end();
    window.removeEventListener('hashchange', onHash);
  };
}
