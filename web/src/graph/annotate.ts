/** What people write on the canvas: frames, comments, and the links of muted nodes. */
import { api } from '../api/client';
import { refresh, refused } from '../store/session';
import { get, notify } from '../store/state';
import { write } from '../store/write';
import { basisOf } from './commands';
import { isBoundary, link } from './edits';
import { isSource, nodeTitle, type FunctionGraph, type GraphNode, type Place } from './model';
import { refreshNotes, useNotes, type Colour, type Frame, type Mute } from './notes';

type Send = (project: string) => Promise<unknown>;

/** Sends a write to the knowledge graph. Returns false if it was refused, which the person is told. */
async function annotate(send: Send): Promise<boolean> {
  const { project } = get();
  if (project === null) return false;
  try {
    await send(project);
    await Promise.all([refresh(), refreshNotes()]);
    return true;
  } catch (error) {
    refused(error);
    return false;
  }
}

/** An id that no other note has, so that its edges can name it before it is there. */
const newId = (type: string) => `${type}-${Math.random().toString(36).slice(2, 10)}`;

interface Note {
  label: string;
  /** What it is about. */
  ends: string[];
  data: object;
}

/** Writes notes of a type, with an edge of a type to what each is about. */
function add(type: string, edge: string, notes: Note[]): Promise<boolean> {
  const added = notes.map((note) => ({ id: newId(type), ...note }));
  const nodes = added.map(({ id, label, data }) => ({ id, label, types: [type], data }));
  const edges = added.flatMap(({ id, ends }) => ends.map((target) => ({ source: id, target, type: edge })));
  const body = { nodes, edges } as never;
  return annotate((project) => api.post('/api/graph/{project}/add', { path: { project }, body }));
}

export async function addFrame(ids: number[], label: string): Promise<void> {
  const graph = get().graph;
  if (!graph || ids.length === 0) return;
  await add('frame', 'frames', [{ label, ends: ids.map((id) => `fn:${graph.function_id}/${id}`), data: { colour: 'blue' } }]);
}

/** Writes a comment below a node, or at a place of the canvas. */
export async function addComment(text: string, nodeId: number | null, at: Place): Promise<void> {
  const graph = get().graph;
  if (!graph) return;
  const end = nodeId === null ? `fn:${graph.function_id}` : `fn:${graph.function_id}/${nodeId}`;
  await add('comment', 'comments', [{ label: text, ends: [end], data: nodeId === null ? { at: [Math.round(at.x), Math.round(at.y)] } : {} }]);
}

function update(id: string, change: object): Promise<boolean> {
  return annotate((project) => api.patch('/api/graph/{project}/nodes/{id}', { path: { project, id }, body: change as never }));
}

export const relabel = (id: string, label: string) => update(id, { label });
export const colourFrame = (id: string, colour: Colour) => update(id, { data: { colour } });
export const placeComment = (id: string, at: Place) => update(id, { data: { at: [Math.round(at.x), Math.round(at.y)] } });

export function removeNotes(ids: string[]): Promise<boolean> {
  return annotate((project) => api.post('/api/graph/{project}/remove', { path: { project }, body: { nodes: ids } as never }));
}

export async function joinFrame(frame: Frame, id: number): Promise<void> {
  const graph = get().graph;
  if (!graph) return;
  const body = { source: frame.id, target: `fn:${graph.function_id}/${id}`, type: 'frames' } as never;
  await annotate((project) => api.post('/api/graph/{project}/edges', { path: { project }, body }));
}

/** Takes nodes out of their frames; a frame without nodes goes. */
export async function leaveFrames(ids: number[]): Promise<void> {
  const frames = useNotes.getState().frames.filter((frame) => ids.some((id) => frame.members.has(id)));
  const empty = frames.filter((frame) => [...frame.members.keys()].every((id) => ids.includes(id)));
  const edges = frames.filter((frame) => !empty.includes(frame)).flatMap((frame) => ids.flatMap((id) => frame.members.get(id) ?? []));
  const body = { nodes: empty.map((frame) => frame.id), edges } as never;
  await annotate((project) => api.post('/api/graph/{project}/remove', { path: { project }, body }));
}

/** Links that start at a node. */
function linksFrom(graph: FunctionGraph, id: number): Mute['links'] {
  return graph.nodes.flatMap((node) =>
    Object.entries(node.parameters ?? {}).flatMap(([name, setting]) => (isSource(setting) && setting.source.node_id === id ? [{ node_id: node.node_id, name, port: setting.source.port }] : [])),
  );
}

/** The mute of a node, if nothing has been linked to it since. */
export function activeMute(graph: FunctionGraph, id: number, mutes: Map<number, Mute>): Mute | null {
  const mute = mutes.get(id);
  return mute && mute.links.length > 0 && linksFrom(graph, id).length === 0 ? mute : null;
}

/** Takes nodes out of the flow: what used their ports uses what went into them. Their links are kept with them, for the way back. */
export async function toggleMute(ids: number[]): Promise<void> {
  const graph = get().graph;
  if (!graph) return;
  const nodes = graph.nodes.filter((node) => ids.includes(node.node_id) && !isBoundary(node));
  const { mutes } = useNotes.getState();
  const muted = nodes.flatMap((node) => {
    const mute = activeMute(graph, node.node_id, mutes);
    return mute ? [{ node, mute }] : [];
  });
  if (muted.length < nodes.length) await mute(graph, nodes.filter((node) => !muted.some((one) => one.node === node)));
  else if (nodes.length > 0) await unmute(graph, muted);
}

/** A node by its title, or their number. */
function called(nodes: GraphNode[]): string {
  const [first] = nodes;
  return nodes.length === 1 && first ? nodeTitle(first) : `${nodes.length} nodes`;
}

async function mute(graph: FunctionGraph, wanted: GraphNode[]): Promise<void> {
  const nodes = wanted.filter((node) => linksFrom(graph, node.node_id).length > 0);
  if (nodes.length === 0) {
    notify({ tone: 'info', text: `${called(wanted)} ${wanted.length === 1 ? 'is' : 'are'} linked to nothing, so there is nothing to mute.` });
    return;
  }
  const { mutes } = useNotes.getState();
  const stale = nodes.flatMap((node) => mutes.get(node.node_id)?.id ?? []);
  if (stale.length > 0) await removeNotes(stale);
  // The links are kept first, so that an undo of the second step brings the nodes back as they were.
  const notes = nodes.map((node) => ({ label: `muted ${nodeTitle(node)}`, ends: [`fn:${graph.function_id}/${node.node_id}`], data: { links: linksFrom(graph, node.node_id) } }));
  if (!(await add('muted', 'mutes', notes))) return;
  const ids = nodes.map((node) => node.node_id);
  const edits = ids.map((id) => ({ bypass_node: { function_id: graph.function_id, node_id: id, keep: true } }));
  await write(edits, { label: `mute ${called(nodes)}`, basis: basisOf(...ids) });
}

async function unmute(graph: FunctionGraph, muted: { node: GraphNode; mute: Mute }[]): Promise<void> {
  const present = new Set(graph.nodes.map((node) => node.node_id));
  const edits = muted.flatMap(({ node: { node_id }, mute }) => {
    const links = mute.links.filter((one) => present.has(one.node_id));
    return links.map((one) => link(graph.function_id, { node_id, name: one.port }, { node_id: one.node_id, name: one.name }, true));
  });
  const nodes = muted.map(({ node }) => node);
  const done = await write(edits, { label: `unmute ${called(nodes)}`, basis: basisOf(...nodes.map((node) => node.node_id)) });
  if (done || edits.length === 0) await removeNotes(muted.map(({ mute }) => mute.id));
}
