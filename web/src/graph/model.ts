/** A function as a graph, as the server writes it: nodes with values and sources. */
import type { Schema } from '../api/client';

export interface Source {
  node_id: number;
  port: string;
}

export type Setting = { value: unknown } | { source: Source };

export interface GraphNode {
  node_id: number;
  node_type: string;
  display_name?: string;
  position?: [number, number];
  overload?: number;
  callee?: { inputs: Port[]; outputs: Port[] };
  parameters?: Record<string, Setting>;
}

/** The schema of answers leaves out what only inputs have. */
export type Port = Schema['ShownPort'] & { default?: unknown; unit?: string; min?: number; max?: number };

export interface FunctionGraph {
  function_id: number;
  name: string;
  inputs: Port[];
  outputs: Port[];
  nodes: GraphNode[];
  revision: number;
}

/** Where a node is drawn, in pixels at a zoom of 1. */
export interface Place {
  x: number;
  y: number;
}

/** The node of the function's outputs. */
export const END = 0;

export function isSource(setting: Setting | undefined): setting is { source: Source } {
  return setting !== undefined && 'source' in setting;
}

/** The graph in a function that the server returned; `Begin` and `End` are there even where the server leaves them out. */
export function graphOf(shown: Schema['FunctionShown']): FunctionGraph {
  const nodes = ((shown.nodes ?? []) as unknown as GraphNode[]).map((node) => ({ ...node }));
  if (!nodes.some((node) => node.node_id === END)) nodes.push({ node_id: END, node_type: 'End' });
  const { function_id, name, inputs, outputs, revision } = shown;
  return { function_id, name, inputs, outputs, nodes, revision };
}

export function nodeTitle(node: GraphNode): string {
  return node.display_name ?? node.node_type;
}
