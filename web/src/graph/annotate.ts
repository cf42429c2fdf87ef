/** What people write on the canvas: frames, comments, and the links of muted nodes. */
import { api } from '../api/client';
import { refresh, refused } from '../store/session';
import { get, notify } from '../store/state';
import { write } from '../store/write';
import { basisOf } from './commands';
import { isBoundary, link } from './edits';
import { isSource, nodeTitle, type FunctionGraph, type Place } from './model';
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

function add(type: string, label: string, edge: string, ends: string[], data: object): Promise<boolean> {
  const id = newId(type);
  const body = { nodes: [{ id, label, types: [type], data }], edges: ends.map((target) => ({ source: id, target, type: edge })) } as never;
  return annotate((project) => api.post('/api/graph/{project}/add', { path: { project }, body }));
}

export async function addFrame(ids: number[], label: string): Promise<void> {
  const graph = get().graph;
  if (!graph || ids.length === 0) return;
  await add('frame', label, 'frames', ids.map((id) => `fn:${graph.function_id}/${id}`), { colour: 'blue' });
}

/** Writes a comment below a node, or at a place of the canvas. */
export async function addComment(text: string, nodeId: number | null, at: Place): Promise<void> {
  const graph = get().graph;
  if (!graph) return;
  const end = nodeId === null ? `fn:${graph.function_id}` : `fn:${graph.function_id}/${nodeId}`;
  await add('comment', text, 'comments', [end], nodeId === null ? { at: [Math.round(at.x), Math.round(at.y)] } : {});
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

/** Takes a node out of the flow: what used its ports uses what went into it. Its links are kept with it, for the way back. */
export async function toggleMute(id: number): Promise<void> {
  const graph = get().graph;
  const node = graph?.nodes.find((known) => known.node_id === id);
  if (!graph || !node || isBoundary(node)) return;
  const mute = activeMute(graph, id, useNotes.getState().mutes);
  await (mute ? unmute(graph, id, mute) : muteNode(graph, id, nodeTitle(node)));
}

async function muteNode(graph: FunctionGraph, id: number, title: string): Promise<void> {
  const links = linksFrom(graph, id);
  if (links.length === 0) {
    notify({ tone: 'info', text: `${title} is linked to nothing, so there is nothing to mute.` });
    return;
  }
  const stale = useNotes.getState().mutes.get(id);
  if (stale) await removeNotes([stale.id]);
  // The links are kept first, so that an undo of the second step brings the node back as it was.
  if (!(await add('muted', `muted ${title}`, 'mutes', [`fn:${graph.function_id}/${id}`], { links }))) return;
  await write([{ bypass_node: { function_id: graph.function_id, node_id: id, keep: true } }], { label: `mute ${title}`, basis: basisOf(id) });
}

async function unmute(graph: FunctionGraph, id: number, mute: Mute): Promise<void> {
  const nodes = new Set(graph.nodes.map((node) => node.node_id));
  const links = mute.links.filter((one) => nodes.has(one.node_id));
  const edits = links.map((one) => link(graph.function_id, { node_id: id, name: one.port }, { node_id: one.node_id, name: one.name }, true));
  const title = nodeTitle(graph.nodes.find((node) => node.node_id === id) ?? { node_id: id, node_type: 'node' });
  const done = await write(edits, { label: `unmute ${title}`, basis: basisOf(id) });
  if (done || links.length === 0) await removeNotes([mute.id]);
}
