import { expect, test } from 'vitest';
import { change, differences, takeOver } from './variants';

const parameter = (function_id: number, name: string, value: unknown) => ({ function_id, function: `f${function_id}`, name, node_id: 1, value });

test('variants are compared by the parameters that differ, and only these are taken over', () => {
  const present = [parameter(1, 'wall', 2), parameter(1, 'axis', [0, 0, 1]), parameter(2, 'wall', 5), parameter(2, 'new', 1)];
  const kept = [parameter(1, 'wall', 3), parameter(1, 'axis', [0, 0, 1]), parameter(2, 'wall', 5), parameter(2, 'gone', 7)];
  const rows = differences([present, kept]);
  expect(rows.map((row) => [row.key, ...row.values])).toEqual([
    ['1/wall', 2, 3],
    ['2/new', 1, undefined],
    ['2/gone', undefined, 7],
  ]);
  expect(takeOver(present, kept)).toEqual([{ set_parameter_value: { function_id: 1, parameter_name: 'wall', value: 3 } }]);
});

test('differences are told in percent where they are seen', () => {
  expect([change(90, 100), change(250, 100), change(100.5, 100), change(100.01, 100), change(1, 0)]).toEqual(['−10 %', '+150 %', '+0.5 %', null, null]);
});
