/** The knowledge graph as the page holds it: nodes and edges by id, kept in step by the facts of each change. */
import type { Schema } from '../api/client';

export type NodeFacts = Schema['NodeShown'];
export type EdgeFacts = Schema['EdgeShown'];

export interface Observation {
  text: string;
  at: number;
  by: string;
}

export interface KnowledgeNode {
  id: string;
  label: string;
  types: string[];
  data: Record<string, unknown>;
  observations: Observation[];
  /** Number of observations, where the server left some out. */
  observationCount: number;
  position: [number, number] | null;
  creator: string;
  created: number;
  version: number;
}

export interface KnowledgeEdge {
  id: string;
  source: string;
  target: string;
  type: string;
  label: string | null;
  data: Record<string, unknown>;
  weight: number | null;
  creator: string;
  created: number;
}

/** A function, or a node or input of one, at which an edge ends: `fn:7`, `fn:7/5`, `fn:7#wall`. */
export interface FunctionEnd {
  functionId: number;
  nodeId: number | null;
  input: string | null;
}

export function functionEnd(id: string): FunctionEnd | null {
  const match = /^fn:(\d+)(?:\/(\d+)|#(.+))?$/.exec(id);
  if (!match) return null;
  return { functionId: Number(match[1]), nodeId: match[2] === undefined ? null : Number(match[2]), input: match[3] ?? null };
}

/** What the end of an edge is called beside the function's name: a named constant, a node or an input. */
export function partName({ nodeId, input }: FunctionEnd, known?: { parameters?: unknown[] | null }): string | null {
  if (nodeId === null) return input;
  const named = (known?.parameters ?? []) as { node_id: number; name: string }[];
  return named.find((one) => one.node_id === nodeId)?.name ?? `node ${nodeId}`;
}

const time = (value: unknown): number => (typeof value === 'number' ? value : Date.parse(String(value)));
const data = (value: unknown) => (value ?? {}) as Record<string, unknown>;

function nodeOf(facts: NodeFacts): KnowledgeNode {
  const observations = (facts.observations ?? []).map(({ text, at, by }) => ({ text, at: time(at), by }));
  return {
    id: facts.id,
    label: facts.label,
    types: facts.types,
    data: data(facts.data),
    observations,
    observationCount: facts.observation_count ?? observations.length,
    position: (facts.position as [number, number] | null | undefined) ?? null,
    creator: facts.creator,
    created: time(facts.created),
    version: facts.version,
  };
}

function edgeOf(facts: EdgeFacts): KnowledgeEdge {
  const { id, source, target, type, creator } = facts;
  return { id, source, target, type, creator, label: facts.label ?? null, weight: facts.weight ?? null, data: data(facts.data), created: time(facts.created) };
}

/** What a change did to the knowledge graph. */
export interface Effect {
  /** Ids of the nodes and edges that are new or different. */
  touched: string[];
  /** Nodes of which the change holds only a difference: read them. */
  stale: string[];
  /** True if functions changed, so that ends of edges may have gone or come back. */
  functions: boolean;
}

type Fact = Record<string, Record<string, unknown>>;

export class Knowledge {
  readonly nodes = new Map<string, KnowledgeNode>();
  readonly edges = new Map<string, KnowledgeEdge>();
  /** Edges at each end: nodes, and functions. */
  readonly at = new Map<string, Set<string>>();
  dangling = new Set<string>();

  putNode(facts: NodeFacts): void {
    const node = nodeOf(facts);
    this.nodes.set(node.id, node);
  }

  putEdge(facts: EdgeFacts): void {
    this.removeEdge(facts.id);
    const edge = edgeOf(facts);
    this.edges.set(edge.id, edge);
    for (const end of [edge.source, edge.target]) {
      const known = this.at.get(end);
      if (known) known.add(edge.id);
      else this.at.set(end, new Set([edge.id]));
    }
  }

  removeEdge(id: string): void {
    const edge = this.edges.get(id);
    if (!edge) return;
    this.edges.delete(id);
    for (const end of [edge.source, edge.target]) {
      const left = this.at.get(end);
      left?.delete(id);
      if (left?.size === 0) this.at.delete(end);
    }
  }

  removeNode(id: string): void {
    for (const edge of [...(this.at.get(id) ?? [])]) this.removeEdge(edge);
    this.nodes.delete(id);
  }

  edgesAt(id: string): KnowledgeEdge[] {
    return [...(this.at.get(id) ?? [])].flatMap((edge) => this.edges.get(edge) ?? []);
  }

  degree(id: string): number {
    return this.at.get(id)?.size ?? 0;
  }

  /** Ids of everything that is drawn: the nodes, and the functions at which edges end. */
  ends(): string[] {
    const functions = [...this.at.keys()].filter((id) => !this.nodes.has(id) && functionEnd(id) !== null);
    return [...this.nodes.keys(), ...functions];
  }

  label(id: string): string {
    return this.nodes.get(id)?.label ?? id;
  }

  /** Applies the facts of a change; facts are absolute, so applying them twice is harmless. */
  apply(edit: unknown): Effect {
    const effect: Effect = { touched: [], stale: [], functions: false };
    this.visit(edit as Record<string, unknown> | null, effect);
    return effect;
  }

  private visit(edit: Record<string, unknown> | null, effect: Effect): void {
    for (const [name, facts] of Object.entries(edit ?? {})) {
      if (name === 'batch') for (const part of facts as Record<string, unknown>[]) this.visit(part, effect);
      else if (name === 'knowledge') this.fact(facts as Fact, effect);
      else effect.functions = true;
    }
  }

  private fact(fact: Fact, effect: Effect): void {
    const id = (facts: Record<string, unknown>) => String(facts.id);
    if (fact.put_node) {
      this.putNode(fact.put_node as unknown as NodeFacts);
      effect.touched.push(id(fact.put_node));
    } else if (fact.remove_node) {
      this.removeNode(id(fact.remove_node));
    } else if (fact.move_node) {
      const node = this.nodes.get(id(fact.move_node));
      if (node) node.position = (fact.move_node.position as [number, number] | null | undefined) ?? null;
    } else if (fact.observe) {
      effect.touched.push(id(fact.observe));
      effect.stale.push(id(fact.observe));
    } else if (fact.put_edge) {
      this.putEdge(fact.put_edge as unknown as EdgeFacts);
      effect.touched.push(id(fact.put_edge));
    } else if (fact.remove_edge) {
      this.removeEdge(id(fact.remove_edge));
    }
  }
}
