/** Facts of changes that a function's graph shows before it is read again: numbers and links. */
import type { Change } from '../api/events';
import type { FunctionGraph, GraphNode, Setting } from './model';

interface Facts {
  batch?: Facts[];
  set_parameter_value?: { function_id: number; node_id: number; parameter_name: string; value: unknown };
  create_link?: { function_id: number; source_node_id: number; source_port_name: string; target_node_id: number; target_parameter_name: string };
}

/** The graph with the facts of a change; null if they are not all numbers and links of known nodes. */
export function applied(graph: FunctionGraph, change: Pick<Change, 'edit' | 'revision'>): FunctionGraph | null {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  if (!change.edit || !apply(nodes, graph.function_id, change.edit as Facts)) return null;
  return { ...graph, nodes: [...nodes.values()], revision: change.revision };
}

function apply(nodes: Map<number, GraphNode>, functionId: number, { batch, set_parameter_value: number, create_link: link }: Facts): boolean {
  if (batch) return batch.every((part) => apply(nodes, functionId, part));
  if (number?.function_id === functionId) return set(nodes, number.node_id, number.parameter_name, { value: number.value });
  if (link?.function_id === functionId) {
    return nodes.has(link.source_node_id) && set(nodes, link.target_node_id, link.target_parameter_name, { source: { node_id: link.source_node_id, port: link.source_port_name } });
  }
  return false;
}

function set(nodes: Map<number, GraphNode>, id: number, name: string, setting: Setting): boolean {
  const node = nodes.get(id);
  if (!node) return false;
  nodes.set(id, { ...node, parameters: { ...node.parameters, [name]: setting } });
  return true;
}
