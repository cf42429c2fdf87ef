/** Edits of the open function, as the server's route `edits` takes them. */
import { isSource, type GraphNode } from './model';

export type Edit = Record<string, object>;
type Id = number | string;

export interface WireEnd {
  node_id: Id;
  name: string;
}

export function link(functionId: number, source: WireEnd, target: WireEnd, replace = false, insertConversion = false): Edit {
  return {
    create_link: {
      function_id: functionId,
      source_node_id: source.node_id,
      source_port_name: source.name,
      target_node_id: target.node_id,
      target_parameter_name: target.name,
      ...(replace ? { replace } : {}),
      ...(insertConversion ? { insert_conversion: true } : {}),
    },
  };
}

export function unlink(functionId: number, target: WireEnd): Edit {
  return { delete_link: { function_id: functionId, target_node_id: target.node_id, target_parameter_name: target.name } };
}

export function setValue(functionId: number, target: WireEnd, value: unknown): Edit {
  return { set_parameter_value: { function_id: functionId, node_id: target.node_id, parameter_name: target.name, value } };
}

export function create(functionId: number, nodeType: string, alias: string, displayName?: string): Edit {
  return { create_node: { function_id: functionId, node_type: nodeType, alias, ...(displayName ? { display_name: displayName } : {}) } };
}

export function move(functionId: number, nodeId: Id, position: [number, number]): Edit {
  return { move_node: { function_id: functionId, node_id: nodeId, position: position.map(Math.round) } };
}

export function remove(functionId: number, nodeId: number): Edit {
  return { delete_node: { function_id: functionId, node_id: nodeId } };
}

export function isBoundary(node: GraphNode | undefined): boolean {
  return node === undefined || node.node_type === 'Begin' || node.node_type === 'End';
}

/** Copies nodes with their values and the links between them; `outer` keeps links from other nodes as well. */
export function copies(functionId: number, nodes: GraphNode[], shift: [number, number], outer: boolean): Edit[] {
  const copied = new Set(nodes.map((node) => node.node_id));
  const edits: Edit[] = [];
  for (const node of nodes) {
    edits.push(create(functionId, node.node_type, `$copy${node.node_id}`, node.display_name));
    if (node.position) edits.push(move(functionId, `$copy${node.node_id}`, [node.position[0] + shift[0], node.position[1] + shift[1]]));
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) edits.push(setValue(functionId, { node_id: `$copy${node.node_id}`, name }, setting.value));
    }
  }
  for (const node of nodes) {
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      const { node_id: source, port } = setting.source;
      if (!copied.has(source) && !outer) continue;
      const from = copied.has(source) ? `$copy${source}` : source;
      edits.push(link(functionId, { node_id: from, name: port }, { node_id: `$copy${node.node_id}`, name }));
    }
  }
  return edits;
}
