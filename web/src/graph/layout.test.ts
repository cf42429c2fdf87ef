import { describe, expect, it } from 'vitest';
import { withoutGrid } from './layout';
import type { FunctionGraph, GraphNode } from './model';

function graph(positions: ([number, number] | undefined)[]): FunctionGraph {
  const nodes = positions.map((position, node_id) => ({ node_id, node_type: 'Addition', ...(position ? { position } : {}) }) as GraphNode);
  return { function_id: 1, nodes } as FunctionGraph;
}

function placed(positions: ([number, number] | undefined)[]): number {
  return withoutGrid(graph(positions)).nodes.filter((node) => node.position).length;
}

describe('positions on the grid of expressions', () => {
  it('are nobody\'s choice, also beside a node without one', () => {
    expect(placed([[0, 0], [240, 120]])).toBe(0);
    expect(placed([[0, 0], [240, 120], undefined])).toBe(0);
  });
  it('count where any node lies elsewhere', () => {
    expect(placed([[0, 0], [240, 125], undefined])).toBe(2);
  });
});
