/** Types of all parameters and ports of a function: the overload of each node, as the server chooses it. */
import type { Schema } from '../api/client';
import { isSource, nodeTitle, type FunctionGraph, type GraphNode, type Port } from './model';

export type Kind = Schema['NodeTypeInfo'];

export interface Parameter extends Port {
  hasDefault: boolean;
  default?: unknown;
  /** Kind of resource that the parameter refers to. */
  refers?: string;
}

export interface Signature {
  parameters: Parameter[];
  ports: Port[];
}

interface KindParameter {
  name: string;
  default?: unknown;
  refers?: string;
}

interface Overload {
  inputs: string[];
  outputs: string[];
}

const CALLS = new Set(['FunctionCall', 'FunctionGradient', 'NormalizeDistanceField']);

type Functions = { function_id: number; name: string; inputs: Port[]; outputs: Port[] }[];

/** Returns the signature of each node by its id. */
export function signatures(graph: FunctionGraph, kinds: Map<string, Kind>, functions: Functions): Map<number, Signature> {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const found = new Map<number, Signature>();
  for (const id of inOrder(graph)) {
    const node = nodes.get(id);
    if (node) found.set(id, signature(node, graph, kinds, functions, found, nodes));
  }
  return found;
}

/** Ids of the nodes, sources first. A loop, so that a long chain is no problem. */
function inOrder(graph: FunctionGraph): number[] {
  const waiting = new Map<number, number>();
  const targets = new Map<number, number[]>();
  for (const node of graph.nodes) {
    let count = 0;
    for (const setting of Object.values(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      count++;
      const list = targets.get(setting.source.node_id);
      if (list) list.push(node.node_id);
      else targets.set(setting.source.node_id, [node.node_id]);
    }
    waiting.set(node.node_id, count);
  }
  const order = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
  for (let at = 0; at < order.length; at++) {
    for (const target of targets.get(order[at] as number) ?? []) {
      const left = (waiting.get(target) ?? 0) - 1;
      waiting.set(target, left);
      if (left === 0) order.push(target);
    }
  }
  return order;
}

function signature(
  node: GraphNode,
  graph: FunctionGraph,
  kinds: Map<string, Kind>,
  functions: Functions,
  found: Map<number, Signature>,
  nodes: Map<number, GraphNode>,
): Signature {
  if (node.node_type === 'Begin') return { parameters: [], ports: graph.inputs };
  if (node.node_type === 'End') return { parameters: graph.outputs.map((port) => ({ ...port, hasDefault: false })), ports: [] };
  const kind = kinds.get(node.node_type);
  if (!kind) return { parameters: [], ports: [] };
  const own = (kind.parameters ?? []) as unknown as KindParameter[];
  const overloads = (kind.overloads ?? []) as unknown as Overload[];
  if (CALLS.has(node.node_type)) return callSignature(node, kind, own, overloads, functions, nodes);
  const chosen = (node.overload === undefined ? undefined : overloads[node.overload]) ?? overloads.find((rule) => agrees(rule, own, node, found)) ?? overloads[0];
  const parameters = own.map((parameter, index) => described(parameter, chosen?.inputs[index] ?? 'float'));
  const ports = (kind.ports ?? []).map((name, index) => ({ name, type: chosen?.outputs[index] ?? 'float' }));
  return { parameters, ports };
}

function described(parameter: KindParameter, type: string): Parameter {
  const hasDefault = parameter.default !== undefined && parameter.default !== null;
  return { name: parameter.name, type, hasDefault, default: parameter.default, ...(parameter.refers ? { refers: parameter.refers } : {}) };
}

/** The ports of a call follow the function that it refers to. */
function callSignature(node: GraphNode, kind: Kind, own: KindParameter[], overloads: Overload[], functions: Functions, nodes: Map<number, GraphNode>): Signature {
  const fixedCount = node.node_type === 'FunctionCall' ? 1 : 4;
  const types = overloads[0]?.inputs ?? [];
  const fixed = own.slice(0, fixedCount).map((parameter, index) => described(parameter, types[index] ?? 'resource_id'));
  const id = calledFunction(node, nodes);
  const callee = functions.find((known) => known.function_id === id) ?? node.callee;
  const inputs = (callee?.inputs ?? []).map((port) => ({ ...port, hasDefault: false }));
  const fixedPorts = (kind.ports ?? []).map((name, index) => ({ name, type: overloads[0]?.outputs[index] ?? 'float' }));
  return { parameters: [...fixed, ...inputs], ports: node.node_type === 'FunctionCall' ? (callee?.outputs ?? []) : fixedPorts };
}

/** Titles of nodes by id: the name that somebody gave them, else that of the function that they call, else their kind. */
export function titlesOf({ nodes }: FunctionGraph, functions: Functions): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  return new Map(nodes.map((node) => [node.node_id, node.display_name ? nodeTitle(node) : (calleeName(node, byId, functions) ?? nodeTitle(node))]));
}

export function calleeName(node: GraphNode, nodes: Map<number, GraphNode>, functions: Functions): string | null {
  const called = calledFunction(node, nodes);
  return called === null ? null : (functions.find((known) => known.function_id === called)?.name ?? null);
}

/** The function that a call refers to: by its value, or through a `Resource` node. */
export function calledFunction(node: GraphNode, nodes: Map<number, GraphNode>): number | null {
  const setting = node.parameters?.functionID;
  if (!setting) return null;
  if (!isSource(setting)) return typeof setting.value === 'number' ? setting.value : null;
  const source = nodes.get(setting.source.node_id);
  for (const held of Object.values(source?.parameters ?? {})) {
    if (!isSource(held) && typeof held.value === 'number') return held.value;
  }
  return null;
}

/** Unset inputs agree with every type. */
function agrees(rule: Overload, own: KindParameter[], node: GraphNode, found: Map<number, Signature>): boolean {
  return own.every((parameter, index) => {
    const setting = node.parameters?.[parameter.name];
    if (!setting) return true;
    const type = rule.inputs[index] ?? '';
    if (isSource(setting)) {
      const port = found.get(setting.source.node_id)?.ports.find((known) => known.name === setting.source.port);
      return port === undefined || port.type === type;
    }
    return fits(setting.value, type);
  });
}

function fits(value: unknown, type: string): boolean {
  switch (type) {
    case 'float':
      return typeof value === 'number' || (typeof value === 'string' && /^-?(NaN|Infinity)$/.test(value));
    case 'integer':
    case 'resource_id':
      return Number.isInteger(value);
    case 'float3':
      return Array.isArray(value) && value.length === 3;
    case 'matrix4x4':
      return Array.isArray(value) && (value.length === 16 || value.length === 4);
    default:
      return typeof value === 'string';
  }
}

/** Nodes that the outputs of the function need. */
export function needed(graph: FunctionGraph): Set<number> {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const reached = new Set<number>([0]);
  const queue = [0];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const setting of Object.values(nodes.get(id)?.parameters ?? {})) {
      if (!isSource(setting) || reached.has(setting.source.node_id)) continue;
      reached.add(setting.source.node_id);
      queue.push(setting.source.node_id);
    }
  }
  return reached;
}

/** Parameters that have neither a link nor a value nor a default. */
export function unset(node: GraphNode, signature: Signature): Parameter[] {
  return signature.parameters.filter((parameter) => !parameter.hasDefault && node.parameters?.[parameter.name] === undefined);
}
