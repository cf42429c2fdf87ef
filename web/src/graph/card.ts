/** Sizes of node cards, known before they are drawn, so that the server can lay them out. */
import { isSource, nodeTitle, type GraphNode } from './model';
import type { Signature } from './types';

export const HEAD = 28;
export const ROW = 24;
export const FOOT = 4;
const CHARACTER = 6.7;
const LEAST = 148;
const MOST = 264;

export interface CardSize {
  width: number;
  height: number;
  inputs: number[];
  outputs: number[];
}

/** True if a parameter shows a field on the card. */
export function hasField(node: GraphNode, parameter: { name: string; hasDefault: boolean }): boolean {
  return !isSource(node.parameters?.[parameter.name]);
}

export function cardSize(node: GraphNode, { parameters, ports }: Signature): CardSize {
  const rows = Math.max(parameters.length, ports.length);
  let width = 44 + length(nodeTitle(node)) * (CHARACTER + 0.6);
  for (let row = 0; row < rows; row++) {
    const parameter = parameters[row];
    const port = ports[row];
    let need = 32;
    if (parameter) need += length(parameter.name) * CHARACTER + (hasField(node, parameter) ? 72 : 0);
    if (port && port.name !== parameter?.name) need += length(port.name) * CHARACTER + 16;
    if (port) need += 44;
    width = Math.max(width, need);
  }
  width = Math.min(MOST, Math.max(LEAST, Math.ceil(width / 4) * 4));
  const at = (_: unknown, row: number) => HEAD + row * ROW + ROW / 2;
  return { width, height: HEAD + Math.max(rows, 0) * ROW + FOOT, inputs: parameters.map(at), outputs: ports.map(at) };
}

function length(text: string): number {
  return Math.min(text.length, 32);
}
