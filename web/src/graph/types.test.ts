import { expect, test } from 'vitest';
import type { FunctionGraph } from './model';
import { needed, signatures, unset, type Kind } from './types';

const kinds = new Map<string, Kind>([
  ['ConstantScalar', { name: 'ConstantScalar', parameters: [{ name: 'value', default: 0 }], ports: ['value'], overloads: [{ inputs: ['float'], outputs: ['float'] }] }],
  [
    'Addition',
    {
      name: 'Addition',
      parameters: [{ name: 'A' }, { name: 'B' }],
      ports: ['result'],
      overloads: [
        { inputs: ['float', 'float'], outputs: ['float'] },
        { inputs: ['float3', 'float3'], outputs: ['float3'] },
      ],
    },
  ],
] as unknown as [string, Kind][]);

const graph: FunctionGraph = {
  function_id: 1,
  name: 'f',
  inputs: [{ name: 'pos', type: 'float3' }],
  outputs: [{ name: 'shape', type: 'float3' }],
  revision: 1,
  nodes: [
    { node_id: 0, node_type: 'End', parameters: { shape: { source: { node_id: 2, port: 'result' } } } },
    { node_id: 1, node_type: 'Begin' },
    { node_id: 2, node_type: 'Addition', parameters: { A: { source: { node_id: 1, port: 'pos' } } } },
    { node_id: 3, node_type: 'ConstantScalar' },
  ],
};

test('a node has the first overload that agrees with its links', () => {
  const found = signatures(graph, kinds, []);
  expect(found.get(2)?.ports).toEqual([{ name: 'result', type: 'float3' }]);
  expect(found.get(2)?.parameters.map((parameter) => parameter.type)).toEqual(['float3', 'float3']);
  expect(found.get(0)?.parameters.map((parameter) => parameter.name)).toEqual(['shape']);
});

test('what is unset is a parameter without a default', () => {
  const found = signatures(graph, kinds, []);
  const missing = graph.nodes.flatMap((node) => unset(node, found.get(node.node_id) ?? { parameters: [], ports: [] }).map((one) => `${node.node_id}.${one.name}`));
  expect(missing).toEqual(['2.B']);
  expect([...needed(graph)].sort()).toEqual([0, 1, 2]);
});
