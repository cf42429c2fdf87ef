/** What the canvas shows of the open function: signatures, sizes, places. */
import { useEffect, useMemo, useRef } from 'react';
import { refused } from '../store/session';
import { get, set, useStore } from '../store/state';
import { cardSize, type CardSize } from './card';
import { layout, placed } from './layout';
import { isSource, type FunctionGraph, type Place } from './model';
import { activeMute } from './annotate';
import { BELOW, heightOf } from './noteElements';
import { useNotes, type Comment, type Mute } from './notes';
import { signatures, type Signature } from './types';

export interface Scene {
  graph: FunctionGraph;
  signatures: Map<number, Signature>;
  sizes: Map<number, CardSize>;
}

export function sceneOf(graph: FunctionGraph): Scene {
  const { kinds, functions } = get();
  const found = signatures(graph, kinds, functions);
  const sizes = new Map(graph.nodes.map((node) => [node.node_id, cardSize(node, found.get(node.node_id) ?? { parameters: [], ports: [] })]));
  return { graph, signatures: found, sizes };
}

export function useScene(): Scene | null {
  const graph = useStore((state) => state.graph);
  const kinds = useStore((state) => state.kinds);
  const functions = useStore((state) => state.functions);
  const project = useStore((state) => state.project);
  const scene = useMemo(() => (graph && kinds.size > 0 ? sceneOf(graph) : null), [graph, kinds, functions]);
  const comments = useNotes((state) => state.comments);
  const mutes = useNotes((state) => state.mutes);
  const laid = useRef<{ key: string; positions: Promise<Map<number, Place>> } | null>(null);

  useEffect(() => {
    if (!scene || project === null) return;
    const sizes = withComments(scene.sizes, comments);
    const key = layoutKey(project, { ...scene, sizes }, mutes);
    let isCurrent = true;
    const known = scene.graph.nodes.every((node) => node.position);
    if (known) {
      show(placed(scene.graph, new Map()));
      return;
    }
    if (laid.current?.key !== key) laid.current = { key, positions: layout(project, scene.graph, sizes) };
    const asked = laid.current;
    asked.positions.then(
      (positions) => isCurrent && get().graph?.function_id === scene.graph.function_id && show(placed(scene.graph, positions)),
      (error: unknown) => {
        if (laid.current === asked) laid.current = null;
        if (isCurrent) refused(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [scene, project, comments, mutes]);
  return scene;
}

/** Sets the places, unless they are as they were. */
function show(places: Map<number, Place>): void {
  const before = get().places;
  const isSame = before.size === places.size && [...places].every(([id, { x, y }]) => before.get(id)?.x === x && before.get(id)?.y === y);
  if (!isSame) set({ places });
}

/** Sizes of the cards with the comments below them. */
function withComments(sizes: Map<number, CardSize>, comments: Comment[]): Map<number, CardSize> {
  const all = new Map(sizes);
  for (const { nodeId, text } of comments) {
    const size = nodeId === null ? undefined : all.get(nodeId);
    if (nodeId !== null && size) all.set(nodeId, { ...size, height: size.height + BELOW + heightOf(text, size.width) });
  }
  return all;
}

/**
 * The layout depends on the nodes, their sizes and links, not on values. A muted node counts as linked, so that nothing jumps
 * when a node is muted.
 */
function layoutKey(project: string, { graph, sizes }: Scene, mutes: Map<number, Mute>): string {
  const muted = new Map([...mutes].flatMap(([id, mute]) => (activeMute(graph, id, mutes) ? mute.links.map((link) => [`${link.node_id}:${link.name}`, `${id}.${link.port}`] as const) : [])));
  const nodes = graph.nodes.map((node) => {
    const size = sizes.get(node.node_id);
    const links = Object.entries(node.parameters ?? {}).map(([name, setting]) => {
      const source = muted.get(`${node.node_id}:${name}`) ?? (isSource(setting) ? `${setting.source.node_id}.${setting.source.port}` : null);
      return source === null ? '' : `${name}<${source}`;
    });
    return `${node.node_id}:${size?.width}x${size?.height}:${links.join()}`;
  });
  return `${project}/${graph.function_id}/${nodes.join(';')}`;
}
