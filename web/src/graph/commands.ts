/** What people do to the open function: each verb is one change in the history. */
import { setDraft, settleDraft, view } from '../preview/state';
import { ApiError } from '../api/client';
import { get, notify, set } from '../store/state';
import { write } from '../store/write';
import { copies, create, isBoundary, link, move, remove, setValue, unlink, type Edit, type WireEnd } from './edits';
import { nodeTitle, type FunctionGraph, type GraphNode, type Place } from './model';
import { shown } from '../ui/numbers';

const MOST_LABEL = 100;

function open(): FunctionGraph | null {
  return get().graph;
}

function nodeById(id: number): GraphNode | undefined {
  return open()?.nodes.find((node) => node.node_id === id);
}

/** What a write to nodes depends on: these nodes, as they are now. */
export function basisOf(...ids: number[]): () => unknown {
  return () => ids.map((id) => nodeById(id) && { ...nodeById(id), position: null });
}

/** A parameter of a node, which may be of a function that was left meanwhile. */
export interface Target {
  functionId: number;
  nodeId: number;
  name: string;
}

function nodeAt({ functionId, nodeId }: Target): GraphNode | undefined {
  return open()?.function_id === functionId ? nodeById(nodeId) : undefined;
}

/** Sliders of constants have the numbers of the whole node. */
function draftKey(target: Target): string {
  const whole = `${target.functionId}.${target.nodeId}`;
  const node = nodeAt(target);
  const isConstant = node ? node.node_type === 'ConstantScalar' : view().drafts.has(whole);
  return isConstant ? whole : `${whole}.${target.name}`;
}

export async function commitValue(target: Target, value: unknown): Promise<void> {
  const { functionId, nodeId, name } = target;
  const edit = setValue(functionId, { node_id: nodeId, name }, value);
  const key = draftKey(target);
  const draft = view().drafts.get(key);
  const node = nodeAt(target);
  const title = node ? nodeTitle(node) : `node ${nodeId}`;
  const what = node?.node_type === 'ConstantScalar' ? title : `${name} of ${title}`;
  const basis = () => nodeAt(target)?.parameters?.[name] ?? null;
  const written = await write([edit], { label: `set ${what} to ${shown(value)}`.slice(0, MOST_LABEL), basis });
  if (draft) settleDraft(key, draft, written?.revision ?? null);
}

/** A number while it is dragged: the preview, measures and values follow, and nothing is written yet. Null ends it. */
export function draftValue(target: Target, value: number | null): void {
  const key = draftKey(target);
  if (value === null) return setDraft(key, null);
  const edit = setValue(target.functionId, { node_id: target.nodeId, name: target.name }, value);
  setDraft(key, { numbers: [value], edit, revision: null });
}

export function resourceChoices(refers?: string): { id: number; name: string }[] {
  const { functions, overview, trail } = get();
  if (refers === undefined || refers.toLowerCase() === 'function') {
    const others = functions.filter((known) => known.function_id !== trail.at(-1));
    const calls = others.map((known) => ({ id: known.function_id, name: known.name }));
    if (refers) return calls;
    return [...calls, ...resources()];
  }
  return resources().filter((known) => known.kind.replace(/\s/g, '').toLowerCase().includes(refers.replace(/[_\s]/g, '').toLowerCase()));

  function resources(): { id: number; name: string; kind: string }[] {
    const objects = overview?.objects.map((object) => ({ id: object.object_id ?? 0, name: object.name ?? `${object.kind} ${object.object_id}`, kind: object.kind }));
    const others = overview?.resources.map((item) => ({ id: item.resource_id ?? 0, name: item.name ?? `${item.kind} ${item.resource_id}`, kind: item.kind }));
    return [...(objects ?? []), ...(others ?? [])];
  }
}

/** Links two ports. If the types differ, the message offers the conversion as one click. */
export async function connect(source: WireEnd, target: WireEnd, instead?: WireEnd): Promise<void> {
  const graph = open();
  if (!graph) return;
  const id = graph.function_id;
  const before = instead ? [unlink(id, instead)] : [];
  const run = (convert: boolean) => [...before, link(id, source, target, true, convert)];
  await write(run(false), {
    basis: basisOf(Number(source.node_id), Number(target.node_id)),
    solve: (error: ApiError) => {
      if (!/type/.test(error.code)) return undefined;
      return { label: 'Insert the conversion', run: () => void write(run(true), { basis: basisOf(Number(source.node_id), Number(target.node_id)) }) };
    },
  });
}

/** Gives several parameters the same source. */
export async function connectAll(source: WireEnd, targets: WireEnd[]): Promise<void> {
  const graph = open();
  if (!graph) return;
  const edits = targets.map((target) => link(graph.function_id, source, target, true));
  await write(edits, { label: `link ${targets.length} parameters`, basis: basisOf(Number(source.node_id), ...targets.map((target) => Number(target.node_id))) });
}

export async function disconnect(targets: WireEnd[]): Promise<void> {
  const graph = open();
  if (!graph) return;
  await write(targets.map((target) => unlink(graph.function_id, target)), { basis: basisOf(...targets.map((target) => Number(target.node_id))) });
}

/** Creates a node, and links it to the port or parameter where the wire began. */
export async function addNode(kind: { name: string; calls?: number }, at: Place, wire?: { from?: WireEnd; to?: WireEnd; end?: string | undefined; convert?: boolean }): Promise<void> {
  const graph = open();
  if (!graph) return;
  const id = graph.function_id;
  const edits: Edit[] = [create(id, kind.name, '$new')];
  if (kind.calls !== undefined) edits.push(setValue(id, { node_id: '$new', name: 'functionID' }, kind.calls));
  edits.push(...pinned(graph), move(id, '$new', [at.x, at.y]));
  const end = wire?.end;
  if (wire?.from && end) edits.push(link(id, wire.from, { node_id: '$new', name: end }, false, wire.convert));
  if (wire?.to && end) edits.push(link(id, { node_id: '$new', name: end }, wire.to, true, wire.convert));
  const done = await write(edits, { label: `create ${kind.name}`, basis: () => null });
  const created = done?.ids['$new'];
  if (created !== undefined) set({ selection: [created] });
}

/** Edits that store where nodes are shown that nobody placed yet, so that they stay when another one is placed. */
function pinned(graph: FunctionGraph, except: Map<number, Place> = new Map()): Edit[] {
  const { places } = get();
  return graph.nodes.flatMap((node) => {
    const place = places.get(node.node_id);
    const stays = node.position === undefined && !except.has(node.node_id);
    return place && stays ? [move(graph.function_id, node.node_id, [place.x, place.y])] : [];
  });
}

/** Stores the positions of dragged nodes; all others keep theirs too, so that nothing else moves. */
export async function moveNodes(moved: Map<number, Place>): Promise<void> {
  const graph = open();
  if (!graph) return;
  // A node may be gone since its drag began.
  const kept = [...moved].filter(([id]) => nodeById(id));
  const edits = [...pinned(graph, moved), ...kept.map(([id, { x, y }]) => move(graph.function_id, id, [x, y]))];
  set({ places: new Map([...get().places, ...moved]) });
  await write(edits, { label: moved.size === 1 ? 'move a node' : `move ${moved.size} nodes`, basis: () => null });
}

/** Forgets the stored positions, so that the server's layout applies. */
export async function tidy(): Promise<void> {
  const graph = open();
  if (!graph) return;
  const edits = graph.nodes
    .filter((node) => node.position)
    .map((node) => ({ move_node: { function_id: graph.function_id, node_id: node.node_id, position: null } }));
  await write(edits, { label: 'tidy up', basis: () => null });
}

export async function removeNodes(ids: number[], reconnect = false): Promise<void> {
  const graph = open();
  if (!graph) return;
  const removed = ids.filter((id) => !isBoundary(nodeById(id)));
  if (removed.length === 0) {
    if (ids.length > 0) notify({ tone: 'info', text: 'Begin and End are the inputs and outputs of the function; they cannot be deleted.' });
    return;
  }
  const edits = removed.map((id): Edit => (reconnect ? { bypass_node: { function_id: graph.function_id, node_id: id } } : remove(graph.function_id, id)));
  await write(edits, { basis: basisOf(...removed) });
}

/** Gives a node another kind; it keeps its id, name, position, and what fits of its links and values. */
export async function swapKind(id: number, nodeType: string): Promise<void> {
  const graph = open();
  const node = nodeById(id);
  if (!graph || !node || isBoundary(node)) return;
  await write([{ replace_node: { function_id: graph.function_id, node_id: id, node_type: nodeType } }], { basis: basisOf(id) });
}

/** Puts a node into the link to a parameter. */
export async function insertIntoWire(id: number, target: WireEnd, position: Place): Promise<boolean> {
  const graph = open();
  if (!graph) return false;
  const insertion = { function_id: graph.function_id, node_id: id, target_node_id: target.node_id, target_parameter_name: target.name };
  const edits = [{ insert_into_link: insertion }, ...pinned(graph, new Map([[id, position]])), move(graph.function_id, id, [position.x, position.y])];
  const done = await write(edits, { label: 'insert into a link', basis: basisOf(id, Number(target.node_id)) });
  return done !== null;
}

export async function rename(id: number, name: string): Promise<void> {
  const graph = open();
  const node = nodeById(id);
  if (!graph || !node || name === (node.display_name ?? '')) return;
  await write([{ rename_node: { function_id: graph.function_id, node_id: id, display_name: name === '' ? null : name } }], { basis: basisOf(id) });
}

export async function extract(ids: number[], name: string): Promise<void> {
  const graph = open();
  if (!graph) return;
  const nodes = ids.filter((id) => !isBoundary(nodeById(id)));
  await write([{ extract_function: { function_id: graph.function_id, node_ids: nodes, name } }], { basis: basisOf(...nodes) });
}

let clipboard: GraphNode[] = [];

/** Copies of nodes, with the places where they are shown. */
function placedNodes(ids: number[]): GraphNode[] {
  return ids.flatMap((id) => {
    const node = nodeById(id);
    const place = get().places.get(id);
    return node && !isBoundary(node) ? [{ ...structuredClone(node), ...(place ? { position: [place.x, place.y] as [number, number] } : {}) }] : [];
  });
}

export function copy(ids: number[]): void {
  clipboard = placedNodes(ids);
  if (clipboard.length > 0) notify({ tone: 'info', text: `Copied ${clipboard.length === 1 ? 'a node' : `${clipboard.length} nodes`}` });
}

const SHIFT: [number, number] = [32, 32];

async function insert(nodes: GraphNode[], outer: boolean, shift: [number, number] = SHIFT): Promise<void> {
  const graph = open();
  if (!graph || nodes.length === 0) return;
  const done = await write([...pinned(graph), ...copies(graph.function_id, nodes, shift, outer)], { label: outer ? 'duplicate nodes' : 'paste nodes', basis: () => null });
  if (done) set({ selection: nodes.flatMap((node) => done.ids[`$copy${node.node_id}`] ?? []) });
}

/** Pastes what was copied, its upper left corner at a place. */
export async function paste(at: Place): Promise<void> {
  const corner = [0, 1].map((axis) => Math.min(...clipboard.map((node) => node.position?.[axis] ?? 0)));
  await insert(clipboard, false, [at.x - (corner[0] ?? 0), at.y - (corner[1] ?? 0)]);
}

export function duplicate(ids: number[]): Promise<void> {
  return insert(placedNodes(ids), true);
}
