/** Nodes and edges for the canvas. */
import type { Schema } from '../api/client';
import { get } from '../store/state';
import { activeMute } from './annotate';
import { isSource, type Place } from './model';
import type { Mute } from './notes';
import type { CardData, CardNode } from './NodeCard';
import { calleeName, needed, unset } from './types';
import type { Scene } from './useScene';
import type { WireEdge } from './Wire';

type Functions = Schema['FunctionInfo'][];

/** Cards and wires are kept while they are unchanged, so that only changed ones are drawn again. */
const kept = new Map<string, { basis: string; data: CardData }>();
const cards = new Map<string, CardNode>();
const wiresKept = new Map<string, WireEdge>();

/** The element of the last call with the same id if it is equal: the canvas compares identities. */
function same<E extends CardNode | WireEdge>(all: Map<string, E>, key: string, now: E): E {
  const before = all.get(key);
  if (before && isEqual(before, now)) return before;
  all.set(key, now);
  return now;
}

/** True if two values have equal members, which are compared by identity if they hold card data or places. */
function isEqual(a: object, b: object): boolean {
  const [before, now] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return Object.keys(now).every((name) => {
    const [old, fresh] = [before[name], now[name]];
    if (old === fresh) return true;
    if (name === 'position' || name === 'measured' || (name === 'data' && now.type === 'wire')) return isEqual(old as object, fresh as object);
    return false;
  });
}

export function elements(
  scene: Scene | null,
  places: Map<number, Place>,
  drag: Map<number, Place>,
  selection: number[],
  wires: Set<string>,
  hovered: string | null,
  functions: Functions,
  mutes: Map<number, Mute>,
): { nodes: CardNode[]; edges: WireEdge[] } {
  if (!scene || !scene.graph.nodes.some((node) => places.has(node.node_id))) return { nodes: [], edges: [] };
  const { graph, signatures, sizes } = scene;
  const selected = new Set(selection);
  const byId = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const isNeeded = needed(graph);
  const used = new Map<number, Set<string>>();
  const links: { id: string; source: number; port: string; target: number; name: string }[] = [];
  for (const node of graph.nodes) {
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      const { node_id: source, port } = setting.source;
      links.push({ id: `${node.node_id}:${name}`, source, port, target: node.node_id, name });
      const ports = used.get(source) ?? new Set();
      used.set(source, ports.add(port));
    }
  }
  const path = hovered === null ? new Set<string>() : upstream(hovered, links);

  const ghosts: (Mute['links'][number] & { source: number })[] = [];
  const nodes = graph.nodes.flatMap((node): CardNode[] => {
    const place = drag.get(node.node_id) ?? places.get(node.node_id);
    const size = sizes.get(node.node_id);
    const signature = signatures.get(node.node_id);
    if (!place || !size || !signature) return [];
    const missing = isNeeded.has(node.node_id) ? unset(node, signature).map((parameter) => parameter.name) : [];
    const callee = calleeName(node, byId, functions);
    const family = get().kinds.get(node.node_type)?.family ?? 'boundary';
    const mute = activeMute(graph, node.node_id, mutes);
    if (mute) ghosts.push(...mute.links.map((link) => ({ ...link, source: node.node_id })));
    const linkedPorts = used.get(node.node_id) ?? new Set<string>();
    const basis = JSON.stringify([node, signature, callee, missing, [...linkedPorts], mute !== null]);
    const key = `${graph.function_id}:${node.node_id}`;
    let data = kept.get(key);
    if (data?.basis !== basis) {
      data = { basis, data: { node, signature, family, callee, missing, linkedPorts, isMuted: mute !== null } };
      kept.set(key, data);
    }
    const label = `${callee ?? node.display_name ?? node.node_type}, node ${node.node_id}`;
    return [
      same(cards, key, {
        id: String(node.node_id),
        type: 'card',
        position: place,
        data: data.data,
        width: size.width,
        height: size.height,
        measured: { width: size.width, height: size.height },
        selected: selected.has(node.node_id),
        ariaLabel: label.slice(0, 200),
      }),
    ];
  });
  const shown = new Set(nodes.map((node) => node.id));
  const edges = links.flatMap((link): WireEdge[] => {
    if (!shown.has(String(link.source)) || !shown.has(String(link.target))) return [];
    const type = signatures.get(link.source)?.ports.find((port) => port.name === link.port)?.type ?? 'float';
    return [
      same(wiresKept, `${graph.function_id}:${link.id}`, {
        id: link.id,
        type: 'wire',
        source: String(link.source),
        sourceHandle: `out:${link.port}`,
        target: String(link.target),
        targetHandle: `in:${link.name}`,
        selected: wires.has(link.id),
        reconnectable: true,
        data: { type, isOnPath: path.has(link.id) },
        ariaLabel: `link from ${link.source}.${link.port} to ${link.target}.${link.name}`.slice(0, 200),
      }),
    ];
  });
  // Where the links of muted nodes were.
  const faint = ghosts.flatMap((ghost): WireEdge[] => {
    if (!shown.has(String(ghost.node_id))) return [];
    const type = signatures.get(ghost.source)?.ports.find((port) => port.name === ghost.port)?.type ?? 'float';
    return [
      {
        id: `muted:${ghost.node_id}:${ghost.name}`,
        type: 'wire',
        source: String(ghost.source),
        sourceHandle: `out:${ghost.port}`,
        target: String(ghost.node_id),
        targetHandle: `in:${ghost.name}`,
        selectable: false,
        focusable: false,
        reconnectable: false,
        data: { type, isOnPath: false, isFaint: true },
      },
    ];
  });
  return { nodes, edges: [...faint, ...edges] };
}

/** The links that lead to a link, itself included. */
function upstream(id: string, links: { id: string; source: number; target: number }[]): Set<string> {
  const found = new Set<string>([id]);
  const queue = links.filter((link) => link.id === id).map((link) => link.source);
  const seen = new Set(queue);
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const link of links) {
      if (link.target !== node) continue;
      found.add(link.id);
      if (!seen.has(link.source)) {
        seen.add(link.source);
        queue.push(link.source);
      }
    }
  }
  return found;
}

const SAMPLES = 24;

/** The wire that runs below a node, if there is one. */
export function wireAt(node: CardNode, nodes: CardNode[], edges: WireEdge[]): WireEdge | null {
  const byId = new Map(nodes.map((one) => [one.id, one]));
  const { x, y } = node.position;
  const [width, height] = [node.width ?? 0, node.height ?? 0];
  for (const edge of edges) {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    if (!source || !target || edge.source === node.id || edge.target === node.id) continue;
    const from = { x: source.position.x + (source.width ?? 0), y: source.position.y + rowOf(source, edge.sourceHandle, true) };
    const to = { x: target.position.x, y: target.position.y + rowOf(target, edge.targetHandle, false) };
    for (let step = 1; step < SAMPLES; step++) {
      const t = step / SAMPLES;
      const ease = t * t * (3 - 2 * t);
      const at = { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * ease };
      if (at.x > x && at.x < x + width && at.y > y && at.y < y + height) return edge;
    }
  }
  return null;
}

function rowOf(node: CardNode, handle: string | null | undefined, isOutput: boolean): number {
  const { ports, parameters } = node.data.signature;
  const names = isOutput ? ports : parameters;
  const name = (handle ?? '').slice(isOutput ? 4 : 3);
  return 40 + Math.max(0, names.findIndex((one) => one.name === name)) * 24;
}
