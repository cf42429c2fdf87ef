/** Places of the nodes: where people put them, or where the server's layout has them. */
import { api } from '../api/client';
import type { FunctionGraph, GraphNode, Place } from './model';
import type { CardSize } from './card';

const SPACING = [48, 20];

/** Asks the server for a layered layout of the cards as they are shown. */
export async function layout(project: string, graph: FunctionGraph, sizes: Map<number, CardSize>): Promise<Map<number, Place>> {
  const boxes = [...sizes].map(([node_id, size]) => ({
    node_id,
    size: [size.width, size.height],
    inputs: size.inputs,
    outputs: size.outputs,
  }));
  const path = { project, function_id: graph.function_id };
  const { positions } = await api.post('/api/projects/{project}/functions/{function_id}/layout', { path, body: { sizes: boxes, spacing: SPACING } as never });
  return new Map(Object.entries(positions).map(([id, [x = 0, y = 0]]) => [Number(id), { x, y }]));
}

/** Grid on which the server places the nodes of an expression, whatever the sizes of their cards. */
const GRID = [240, 120] as const;

/** The graph without its positions if nobody chose them: all are on the grid of expressions, or have none. */
export function withoutGrid(graph: FunctionGraph): FunctionGraph {
  const isOnGrid = ({ position }: GraphNode) => position?.every((part, axis) => part % (GRID[axis] ?? 1) === 0) ?? true;
  if (!graph.nodes.every(isOnGrid)) return graph;
  return { ...graph, nodes: graph.nodes.map(({ position: _, ...node }) => node) };
}

/** The stored positions, and for nodes without one that of the layout, moved to where the others are. */
export function placed(graph: FunctionGraph, laid: Map<number, Place>): Map<number, Place> {
  const fixed = graph.nodes.filter((node) => node.position !== undefined);
  let dx = 0;
  let dy = 0;
  for (const node of fixed) {
    const at = laid.get(node.node_id);
    if (!at || !node.position) continue;
    dx += (node.position[0] - at.x) / fixed.length;
    dy += (node.position[1] - at.y) / fixed.length;
  }
  return new Map(
    graph.nodes.map((node, index) => {
      const at = laid.get(node.node_id) ?? { x: index * 40, y: index * 40 };
      const place = node.position ? { x: node.position[0], y: node.position[1] } : { x: at.x + dx, y: at.y + dy };
      return [node.node_id, place];
    }),
  );
}
