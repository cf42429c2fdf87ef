import { expect, test } from 'vitest';
import { applied } from './facts';
import type { FunctionGraph } from './model';

const graph: FunctionGraph = {
  function_id: 1,
  name: 'Adder',
  inputs: [],
  outputs: [],
  nodes: [
    { node_id: 0, node_type: 'End' },
    { node_id: 2, node_type: 'ConstantScalar', parameters: { value: { value: 5 } } },
  ],
  revision: 3,
};
const number = (function_id: number, node_id: number, value: number) => ({ set_parameter_value: { function_id, node_id, parameter_name: 'value', value } });
const link = { create_link: { function_id: 1, source_node_id: 2, source_port_name: 'value', target_node_id: 0, target_parameter_name: 'sum' } };

test.each([
  ['a number', number(1, 2, 7), { 2: { value: { value: 7 } } }],
  ['a number and a link', { batch: [number(1, 2, 7), link] }, { 0: { sum: { source: { node_id: 2, port: 'value' } } }, 2: { value: { value: 7 } } }],
  ['another function', number(2, 2, 7), null],
  ['an unknown node', number(1, 9, 7), null],
  ['facts of other kinds', { batch: [number(1, 2, 7), { delete_node: { function_id: 1, node_id: 0 } }] }, null],
  ['no facts', null, null],
])('%s', (_, edit, expected) => {
  const found = applied(graph, { edit, revision: 4 });
  const parameters = found && Object.fromEntries(found.nodes.flatMap((node) => (node.parameters ? [[node.node_id, node.parameters]] : [])));
  expect(parameters).toEqual(expected);
  if (found) expect(found.revision).toBe(4);
  expect(graph.nodes[1]?.parameters).toEqual({ value: { value: 5 } });
});
