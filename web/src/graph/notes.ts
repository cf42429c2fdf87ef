/**
 * What is written about the open function: frames around nodes, comments, muted nodes, and other knowledge tied to it. All of it
 * are nodes of the knowledge graph with edges to `fn:FUNCTION/NODE`, so agents read and write it, it is undone like everything
 * else, and it travels in files.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import { api, ApiError, type Schema } from '../api/client';
import { readIntents, type Intent, type Intents } from '../knowledge/intent';
import { functionEnd } from '../knowledge/model';
import { onChange, onResync, refused } from '../store/session';
import { changesKnowledge } from '../store/touched';
import type { Place } from './model';

/** A named, coloured group of nodes; its place is that of its nodes. */
export interface Frame {
  id: string;
  label: string;
  colour: Colour;
  /** Ids of the nodes, with the edges that lead to them. */
  members: Map<number, string>;
}

/** A text on the canvas, or below a node. */
export interface Comment {
  id: string;
  text: string;
  at: Place | null;
  nodeId: number | null;
}

/** The links that a muted node had. */
export interface Mute {
  id: string;
  links: { node_id: number; name: string; port: string }[];
}

export const COLOURS = ['grey', 'blue', 'green', 'amber', 'rose'] as const;
export type Colour = (typeof COLOURS)[number];

export interface Notes {
  key: string;
  /** Knowledge of other types, by node; that about the function as a whole is at `null`. */
  intents: Intents;
  frames: Frame[];
  comments: Comment[];
  mutes: Map<number, Mute>;
}

const NONE: Omit<Notes, 'key'> = { intents: new Map(), frames: [], comments: [], mutes: new Map() };

export const useNotes = create<Notes>()(() => ({ key: '', ...NONE }));

/** Types of nodes that the canvas shows in their own ways. */
const SHOWN_TYPES = new Set(['frame', 'comment', 'muted']);
const isShown = ({ types }: Intent) => types.some((type) => SHOWN_TYPES.has(type));
/** Marks have their own pins. */
const isOther = (intent: Intent) => !isShown(intent) && !intent.types.includes('mark');

type Got = Schema['NodeGot'];

/** Nodes of the function at which edges of a knowledge node end, with the edges. */
function membersOf(got: Got, functionId: number): Map<number, string> {
  return new Map(
    [...got.outgoing, ...got.incoming].flatMap((link): [number, string][] => {
      const end = functionEnd(link.id);
      // A node that is gone stays a member: it may come back by an undo.
      return end?.functionId === functionId && end.nodeId !== null ? [[end.nodeId, link.edge]] : [];
    }),
  );
}

function frameOf(got: Got, functionId: number): Frame {
  const colour = COLOURS.find((known) => known === got.data?.colour) ?? 'grey';
  return { id: got.id, label: got.label, colour, members: membersOf(got, functionId) };
}

function commentOf(got: Got, functionId: number): Comment {
  const [nodeId] = membersOf(got, functionId).keys();
  const at = got.data?.at as unknown;
  const isPlace = Array.isArray(at) && at.length === 2 && at.every((part) => typeof part === 'number');
  return { id: got.id, text: got.label, nodeId: nodeId ?? null, at: isPlace ? { x: Number(at[0]), y: Number(at[1]) } : null };
}

function muteOf(got: Got): Mute {
  const links = (Array.isArray(got.data?.links) ? got.data.links : []) as Mute['links'];
  return { id: got.id, links: links.filter((link) => Number.isInteger(link?.node_id) && typeof link.name === 'string' && typeof link.port === 'string') };
}

async function read(project: string, functionId: number, signal: AbortSignal): Promise<Omit<Notes, 'key'>> {
  const all = await readIntents(project, functionId, signal);
  const ids = new Set([...all.values()].flat().filter(isShown).map((intent) => intent.id));
  const found = await Promise.all([...ids].map((id) => api.get('/api/graph/{project}/nodes/{id}', { path: { project, id }, signal }).then((got) => got.nodes[0])));
  const of = (type: string) => found.filter((got): got is Got => got?.types.includes(type) ?? false);
  const intents: Intents = new Map();
  for (const [node, list] of all) {
    const others = list.filter(isOther);
    if (others.length > 0) intents.set(node, others);
  }
  const mutes = of('muted').flatMap((got) => [...membersOf(got, functionId).keys()].map((node): [number, Mute] => [node, muteOf(got)]));
  return { intents, frames: of('frame').map((got) => frameOf(got, functionId)), comments: of('comment').map((got) => commentOf(got, functionId)), mutes: new Map(mutes) };
}

let reload: (() => Promise<void>) | null = null;

/** Reads the notes again, after a write of them. */
export async function refreshNotes(): Promise<void> {
  await reload?.();
}

/** Keeps the notes of the open function in step with the server. */
export function useNotesOf(project: string | null, functionId: number | undefined): void {
  useEffect(() => {
    if (project === null || functionId === undefined) return;
    const key = `${project}/${functionId}`;
    if (useNotes.getState().key !== key) useNotes.setState({ key, ...NONE });
    let current = new AbortController();
    const load = async () => {
      current.abort();
      const own = (current = new AbortController());
      try {
        const notes = await read(project, functionId, own.signal);
        if (!own.signal.aborted) useNotes.setState({ key, ...notes });
      } catch (error) {
        // A note that goes while it is read is told by the next change.
        const isGone = error instanceof ApiError && (error.code === 'unreachable' || error.code === 'unknown_node' || error.code === 'unknown_project');
        if (!own.signal.aborted && !isGone) refused(error);
      }
    };
    void load();
    reload = load;
    const ends = [onChange((change) => void (change.project === project && changesKnowledge(change.edit) && load())), onResync(() => void load())];
    return () => {
      reload = null;
      current.abort();
      ends.forEach((end) => end());
    };
  }, [project, functionId]);
}
