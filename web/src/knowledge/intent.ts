/** The knowledge that is tied to a function and its nodes, for the graph editor. */
import { api, ApiError, type Schema } from '../api/client';
import { functionEnd } from './model';

export interface Intent {
  /** The knowledge node. */
  id: string;
  label: string;
  types: string[];
  /** The edge between them, as it reads from the knowledge: "wall at least 2 mm" *constrains* the node. */
  type: string;
  /** True if the edge leads from the function to the knowledge. */
  isReversed: boolean;
  /** True if the node of the function does not exist any more. */
  isDangling: boolean;
}

/** Knowledge by node of the function; that about the function as a whole, or an input of it, is at `null`. */
export type Intents = Map<number | null, Intent[]>;

export function intentsOf(found: Pick<Schema['NeighborsShown'], 'neighbors' | 'edges'>, functionId: number): Intents {
  const known = new Map(found.neighbors.map((node) => [node.id, node]));
  const dangling = new Set(found.neighbors.filter((node) => node.dangling).map((node) => node.id));
  const intents: Intents = new Map();
  for (const [source = '', type = '', target = ''] of found.edges) {
    const isReversed = functionEnd(source)?.functionId === functionId;
    const end = functionEnd(isReversed ? source : target);
    const node = known.get(isReversed ? target : source);
    if (end?.functionId !== functionId || !node || functionEnd(node.id)) continue;
    const label = node.label ?? node.id;
    const intent = { id: node.id, label: end.input === null ? label : `${end.input}: ${label}`, types: node.types ?? [], type, isReversed, isDangling: dangling.has(isReversed ? source : target) };
    intents.set(end.nodeId, [...(intents.get(end.nodeId) ?? []), intent]);
  }
  return intents;
}

/** Reads the knowledge that is tied to a function and its nodes. */
export async function readIntents(project: string, functionId: number, signal: AbortSignal): Promise<Intents> {
  const all: Pick<Schema['NeighborsShown'], 'neighbors' | 'edges'> = { neighbors: [], edges: [] };
  let cursor: string | undefined;
  do {
    const body = { node: `fn:${functionId}`, depth: 1, limit: 200, ...(cursor ? { cursor } : {}) } as never;
    const page = await api.post('/api/graph/{project}/neighbors', { path: { project }, body, signal }).catch((error: unknown) => {
      // No edge ends at the function.
      if (error instanceof ApiError && error.code === 'unknown_node') return null;
      throw error;
    });
    if (!page) break;
    all.neighbors.push(...page.neighbors);
    all.edges.push(...page.edges);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return intentsOf(all, functionId);
}
