import { expect, test } from 'vitest';
import type { CardNode } from './NodeCard';
import { commentNodes, frameBelow, frameNodes } from './noteElements';
import type { Frame } from './notes';

const card = (id: number, x: number, y: number) => ({ id: String(id), type: 'card', position: { x, y }, width: 100, height: 50, data: {} }) as unknown as CardNode;
const frame = (id: string, ...members: number[]): Frame => ({ id, label: id, colour: 'blue', members: new Map(members.map((node) => [node, `e${node}`])) });

test('a frame is as large as its nodes, lies below smaller ones, and goes with its last node', () => {
  const cards = [card(1, 0, 0), card(2, 200, 100), card(3, 40, 300)];
  const nodes = frameNodes([frame('small', 1), frame('large', 1, 2, 3, 9), frame('gone', 9)], cards, new Set(['small']));
  expect(nodes.map((node) => node.data.frame.id)).toEqual(['large', 'small']);
  const [large, small] = nodes;
  expect(large).toMatchObject({ position: { x: -20, y: -48 }, width: 340, height: 418, data: { count: 3 }, selected: false });
  expect(small?.selected).toBe(true);
  expect(frameBelow(card(4, 20, 10), nodes)?.id).toBe('small');
  expect(frameBelow(card(4, 200, 250), nodes)?.id).toBe('large');
  expect(frameBelow(card(2, 200, 100), nodes)).toBeNull();
});

test('comments stand below their nodes, or where they were put or are dragged to', () => {
  const comment = (id: string, nodeId: number | null, at: { x: number; y: number } | null) => ({ id, text: id, nodeId, at });
  const all = [comment('docked', 1, null), comment('free', null, { x: 5, y: 6 }), comment('moved', null, { x: 5, y: 6 }), comment('gone', 9, null)];
  const nodes = commentNodes(all, [card(1, 10, 20)], new Map([['moved', { x: 7, y: 8 }]]), new Set());
  expect(nodes.map((node) => [node.data.comment.id, node.position.x, node.position.y, node.draggable])).toEqual([
    ['docked', 10, 76, false],
    ['free', 5, 6, true],
    ['moved', 7, 8, true],
  ]);
});
