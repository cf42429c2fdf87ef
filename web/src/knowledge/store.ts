/** The state of the knowledge view, kept in step with the server by the page's one stream of changes. */
import { create } from 'zustand';
import { api, ApiError, type Schema } from '../api/client';
import type { Change } from '../api/events';
import { onChange, onResync, refused } from '../store/session';
import { notify, set as setPage } from '../store/state';
import { membership } from './communities';
import { rankTypes } from './colours';
import { functionEnd, Knowledge } from './model';
import { placeMissing, type Places } from './places';
import { oneLine } from './text';

export type Method = Schema['LayoutMethod'];
export type Arrangement = Method | 'stored';
export type Selection = { kind: 'node' | 'edge'; id: string };

export interface FoundPath {
  nodes: string[];
  edges: string[];
}

interface KnowledgeState {
  project: string | null;
  status: 'loading' | 'ready' | 'failed';
  /** Counts changes of the graph below, which is one object for its life. */
  version: number;
  knowledge: Knowledge;
  places: Places;
  arrangement: Arrangement;
  isArranging: boolean;
  /** True until the first layout is there, or takes too long: nothing is drawn that jumps at once. */
  isHeld: boolean;
  /** Number of nodes of the project that are too many to be loaded. */
  unloaded: number;

  selection: Selection | null;
  /** What the picture is to move to as soon as it is drawn. */
  wanted: Selection | null;
  /** If not null, only these nodes are shown. */
  focus: Set<string> | null;
  hiddenTypes: Set<string>;
  typeRanks: Map<string, number>;
  /** If not null, colours show communities: the community of each node, by rank of size. */
  communities: { member: Map<string, number>; sizes: number[]; modularity: number } | null;
  /** Where a path is to start, while its end is being picked. */
  start: string | null;
  path: FoundPath | null;
  /** When what somebody else changed was changed, by id. */
  glows: Map<string, number>;
}

const empty = (): KnowledgeState => ({
  project: null,
  status: 'loading',
  version: 0,
  knowledge: new Knowledge(),
  places: new Map(),
  arrangement: 'force',
  isArranging: false,
  isHeld: true,
  unloaded: 0,
  selection: null,
  wanted: null,
  focus: null,
  hiddenTypes: new Set(),
  typeRanks: new Map(),
  communities: null,
  start: null,
  path: null,
  glows: new Map(),
});

export const useKnowledge = create<KnowledgeState>()(empty);
const get = useKnowledge.getState;
const set = useKnowledge.setState;

export const GLOW_MS = 4000;
const HOLD_MS = 800;
/** More nodes than this are not drawn. */
const MOST_NODES = 50_000;
const PAGE = 20_000;

/** Shows the knowledge view at a node or an edge, whatever was hidden. */
export function openAt(selection: Selection): void {
  set({ selection, wanted: selection, focus: null, hiddenTypes: new Set() });
  setPage({ view: 'knowledge' });
}

/** Follows the knowledge of a project until the returned function is called. */
export function open(project: string): () => void {
  const { wanted } = get();
  set({ ...empty(), project, selection: wanted, wanted });
  let isOpen = true;
  const signal = new AbortController();
  const reload = () => void load(project, signal.signal).catch((error: unknown) => isOpen && failed(error));
  reload();
  const ends = [onChange((change) => change.project === project && applied(change, reload)), onResync(reload)];
  return () => {
    isOpen = false;
    signal.abort();
    ends.forEach((end) => end());
  };
}

function failed(error: unknown): void {
  if (get().status === 'loading') set({ status: 'failed' });
  refused(error);
}

let loads = 0;

async function load(project: string, signal: AbortSignal): Promise<void> {
  const own = ++loads;
  const knowledge = new Knowledge();
  let cursor: string | undefined;
  let revision: number | undefined;
  let total = 0;
  do {
    const query = { limit: PAGE, ...(cursor ? { cursor, revision } : {}) };
    const shown = await api.get('/api/graph/{project}/state', { path: { project }, query, signal });
    revision = shown.revision;
    total = shown.node_count;
    for (const node of shown.nodes) if (knowledge.nodes.size < MOST_NODES) knowledge.putNode(node);
    const isDrawn = (id: string) => knowledge.nodes.has(id) || functionEnd(id) !== null;
    for (const edge of shown.edges) if (isDrawn(edge.source) && isDrawn(edge.target)) knowledge.putEdge(edge);
    for (const end of shown.dangling ?? []) knowledge.dangling.add(end);
    cursor = shown.next_cursor ?? undefined;
  } while (cursor);
  if (own !== loads || get().project !== project) return;
  const isFirst = get().status !== 'ready';
  const places: Places = new Map();
  for (const id of knowledge.ends()) {
    const place = get().places.get(id) ?? knowledge.nodes.get(id)?.position;
    if (place) places.set(id, place);
  }
  const isStored = knowledge.nodes.size > 0 && [...knowledge.nodes.values()].every((node) => node.position);
  const needsLayout = isFirst || [...knowledge.nodes.keys()].every((id) => !get().places.has(id));
  placeMissing(knowledge, places);
  set({ knowledge, places, unloaded: total - knowledge.nodes.size, status: 'ready' });
  changed();
  if (isStored) set({ arrangement: 'stored' });
  if (!needsLayout || isStored || knowledge.nodes.size === 0) return set({ isHeld: false });
  const release = setTimeout(() => set({ isHeld: false }), HOLD_MS);
  await arrange('force', signal).finally(() => {
    clearTimeout(release);
    if (!signal.aborted) set({ isHeld: false });
  });
}

/** After a change of the graph: ranks, places and the view follow. */
function changed(): void {
  const { knowledge, places, selection, focus, path } = get();
  placeMissing(knowledge, places);
  const counts = new Map<string, number>();
  for (const node of knowledge.nodes.values()) for (const type of node.types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const exists = (id: string) => knowledge.nodes.has(id) || knowledge.at.has(id);
  const isGone = selection && (selection.kind === 'node' ? !exists(selection.id) : !knowledge.edges.has(selection.id));
  set({
    version: get().version + 1,
    typeRanks: rankTypes(counts, get().typeRanks),
    ...(isGone ? { selection: null } : {}),
    ...(focus && ![...focus].some(exists) ? { focus: null } : {}),
    ...(path && !path.edges.every((id) => knowledge.edges.has(id)) ? { path: null } : {}),
  });
}

let isQueued = false;

/** One commit per frame, however many changes came. */
function queueChanged(): void {
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(() => {
    isQueued = false;
    changed();
  });
}

function applied(change: Change, reload: () => void): void {
  const { knowledge, project, glows, focus } = get();
  if (!change.edit || get().status !== 'ready') return reload();
  const before = new Set(change.origin.client === 'page' ? [] : knowledge.ends());
  const effect = knowledge.apply(change.edit);
  if (change.origin.client !== 'page' && effect.touched.length > 0) {
    const now = performance.now();
    const fresh = new Map([...glows].filter(([, at]) => now - at < GLOW_MS));
    for (const id of effect.touched) fresh.set(id, now);
    set({ glows: fresh });
    // What an agent links to the shown nodes is shown, too.
    if (focus) {
      const added = effect.touched.flatMap((id) => knowledge.edges.get(id) ?? []).flatMap(({ source, target }) => (focus.has(source) !== focus.has(target) ? [source, target] : []));
      const linked = added.filter((id) => !before.has(id));
      if (linked.length > 0) set({ focus: new Set([...focus, ...linked]) });
    }
  }
  if (project !== null) {
    for (const id of effect.stale) void readNode(project, id).catch(refused);
    if (effect.functions && knowledge.ends().length > knowledge.nodes.size) void readDangling(project).catch(refused);
  }
  queueChanged();
}

/** Reads a node with all that the server shows of it. */
export async function readNode(project: string, id: string): Promise<void> {
  try {
    const { nodes } = await api.get('/api/graph/{project}/nodes/{id}', { path: { project, id } });
    if (get().project !== project) return;
    for (const node of nodes) get().knowledge.putNode(node);
    queueChanged();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'unknown_node')) throw error;
  }
}

/** Which ends are gone; an edit of functions does not say so itself. */
async function readDangling(project: string): Promise<void> {
  const { dangling } = await api.get('/api/graph/{project}/state', { path: { project }, query: { limit: 1 } });
  if (get().project !== project) return;
  get().knowledge.dangling = new Set(dangling ?? []);
  queueChanged();
}

/** Asks the server for places, and moves the nodes there. */
export async function arrange(method: Method, signal?: AbortSignal): Promise<void> {
  const { project, selection, knowledge } = get();
  if (project === null) return;
  set({ arrangement: method, isArranging: true });
  try {
    const center = method === 'radial' && selection?.kind === 'node' && knowledge.nodes.has(selection.id) ? { center: selection.id } : {};
    const query = { method, ...center };
    const { positions } = await api.get('/api/graph/{project}/layout', { path: { project }, query, ...(signal ? { signal } : {}) });
    if (get().project !== project || get().arrangement !== method) return;
    const places: Places = new Map(positions.map(({ id, position }) => [id, position as [number, number]]));
    placeMissing(get().knowledge, places);
    set({ places, version: get().version + 1 });
  } finally {
    if (get().project === project && get().arrangement === method) set({ isArranging: false });
  }
}

/** The places that are stored with the nodes. */
export function arrangeAsStored(): void {
  const { knowledge } = get();
  const places: Places = new Map();
  for (const node of knowledge.nodes.values()) if (node.position) places.set(node.id, node.position);
  placeMissing(knowledge, places);
  set({ places, arrangement: 'stored', isArranging: false, version: get().version + 1 });
}

export function select(selection: Selection | null): void {
  set({ selection });
}

const STEP = 100;

/** The next neighbours of a node that are not shown yet, 100 at a time; returns how many are left. */
export async function expand(id: string): Promise<number> {
  const { project, focus } = get();
  if (project === null) return 0;
  const shown = new Set(focus ?? []);
  shown.add(id);
  let added = 0;
  let cursor: string | undefined;
  let total = 0;
  let seen = 0;
  do {
    const body = { node: id, depth: 1, limit: STEP, ...(cursor ? { cursor } : {}) } as never;
    const page = await api.post('/api/graph/{project}/neighbors', { path: { project }, body });
    total = page.total;
    for (const neighbor of page.neighbors) {
      if (added >= STEP) break;
      seen++;
      if (!shown.has(neighbor.id)) {
        shown.add(neighbor.id);
        added++;
      }
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor && added < STEP);
  if (added === 0 && focus?.has(id)) notify({ tone: 'info', text: total === 0 ? 'It has no neighbours.' : 'All of its neighbours are shown.' });
  set({ focus: shown });
  return total - seen;
}

/** Shows a node and its first neighbours only. */
export async function focusOn(id: string): Promise<void> {
  set({ focus: new Set([id]) });
  await expand(id);
}

export function showAll(): void {
  set({ focus: null });
}

export function toggleType(type: string, isOnly = false): void {
  const { hiddenTypes, typeRanks } = get();
  if (isOnly) {
    const others = [...typeRanks.keys()].filter((other) => other !== type);
    const isAlone = others.every((other) => hiddenTypes.has(other)) && !hiddenTypes.has(type);
    set({ hiddenTypes: new Set(isAlone ? [] : others) });
  } else {
    const next = new Set(hiddenTypes);
    if (!next.delete(type)) next.add(type);
    set({ hiddenTypes: next });
  }
}

export async function colourByCommunity(isOn: boolean): Promise<void> {
  const { project, knowledge } = get();
  if (!isOn || project === null) return set({ communities: null });
  const groups: Schema['GroupShown'][] = [];
  let cursor: string | undefined;
  let modularity = 0;
  do {
    const body = { what: 'communities', limit: 1000, ...(cursor ? { cursor } : {}) } as never;
    const page = await api.post('/api/graph/{project}/analysis', { path: { project }, body });
    groups.push(...(page.groups ?? []));
    modularity = page.modularity ?? modularity;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  if (get().project !== project) return;
  set({ communities: { member: membership(knowledge, groups), sizes: groups.map((group) => group.size), modularity } });
}

/** Starts a path at a node, or ends it there. */
export async function pickPath(id: string): Promise<void> {
  const { start, project } = get();
  if (project === null) return;
  if (start === null || start === id) {
    set({ start: start === id ? null : id, path: null });
    return;
  }
  set({ start: null });
  const found = await api.post('/api/graph/{project}/path', { path: { project }, body: { source: start, target: id, count: 1 } as never });
  const [path] = found.paths;
  if (!path) {
    notify({ tone: 'info', text: `No path leads from ${oneLine(get().knowledge.label(start), 40)} to ${oneLine(get().knowledge.label(id), 40)}.` });
    return;
  }
  const nodes = path.nodes.map((node) => node.id);
  const { focus } = get();
  set({ path: { nodes, edges: path.edges.map((leg) => leg.edge) }, ...(focus ? { focus: new Set([...focus, ...nodes]) } : {}) });
}

export function clearPath(): void {
  set({ start: null, path: null });
}

/** True if a node is drawn: a node of several types as long as one of them is. */
export function isShown(state: KnowledgeState, id: string): boolean {
  if (state.focus && !state.focus.has(id)) return false;
  const node = state.knowledge.nodes.get(id);
  if (!node || state.hiddenTypes.size === 0) return true;
  return node.types.length === 0 || node.types.some((type) => !state.hiddenTypes.has(type));
}
