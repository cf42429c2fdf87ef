import { expect, test } from 'vitest';
import { membership } from './communities';
import { intentsOf } from './intent';
import { functionEnd, Knowledge } from './model';
import { placeMissing, type Places } from './places';
import { oneLine } from './text';

const node = (id: string) => ({ put_node: { id, label: id.toUpperCase(), types: ['t'], creator: 'x', created: 1, modified: 1, version: 1, order: 0 } });
const edge = (id: string, source: string, target: string) => ({ put_edge: { id, source, target, type: 'likes', creator: 'x', created: 1, order: 0 } });
const batch = (...facts: object[]) => ({ batch: facts.map((fact) => ({ knowledge: fact })) });

test('facts are applied once however often they come, and a removed node takes its edges along', () => {
  const knowledge = new Knowledge();
  const facts = batch(node('a'), node('b'), edge('e', 'a', 'b'), edge('f', 'a', 'fn:7/5'));
  expect(knowledge.apply(facts).touched).toEqual(['a', 'b', 'e', 'f']);
  knowledge.apply(facts);
  expect([knowledge.degree('a'), knowledge.degree('b')]).toEqual([2, 1]);
  expect(knowledge.ends()).toEqual(['a', 'b', 'fn:7/5']);
  knowledge.apply({ knowledge: { remove_node: { id: 'a' } } });
  expect([knowledge.edges.size, knowledge.ends()]).toEqual([0, ['b']]);
});

test('observations are read anew, and changes of functions are told', () => {
  const knowledge = new Knowledge();
  expect(knowledge.apply({ knowledge: { observe: { id: 'a' } } }).stale).toEqual(['a']);
  expect(knowledge.apply({ delete_function: { function_id: 1 } }).functions).toBe(true);
});

test('only functions, their nodes and inputs are function ends', () => {
  expect(functionEnd('fn:7')).toEqual({ functionId: 7, nodeId: null, input: null });
  expect(functionEnd('fn:7/5')).toEqual({ functionId: 7, nodeId: 5, input: null });
  expect(functionEnd('fn:7#wall')).toEqual({ functionId: 7, nodeId: null, input: 'wall' });
  expect([functionEnd('fn:x'), functionEnd('afn:7'), functionEnd('fn:7#')]).toEqual([null, null, null]);
});

test('what has a place stays; what is new comes near its neighbour', () => {
  const knowledge = new Knowledge();
  knowledge.apply(batch(node('a'), node('b'), edge('e', 'a', 'b')));
  const places: Places = new Map([['a', [100, 50]]]);
  placeMissing(knowledge, places);
  const [x, y] = places.get('b') ?? [0, 0];
  expect(places.get('a')).toEqual([100, 50]);
  expect(Math.hypot(x - 100, y - 50)).toBeCloseTo(70);
});

test('members that the server does not list join the community of their neighbours', () => {
  const knowledge = new Knowledge();
  knowledge.apply(batch(...['a', 'b', 'c', 'd'].map(node), edge('1', 'a', 'c'), edge('2', 'c', 'd')));
  const member = membership(knowledge, [{ nodes: ['b'], size: 1 }, { nodes: ['a'], size: 3 }]);
  expect(Object.fromEntries(member)).toEqual({ a: 1, b: 0, c: 1, d: 1 });
});

test('intent is told by the node of the function', () => {
  const neighbors = [{ id: 'w', label: 'Wall', distance: 1 }] as never;
  const intents = intentsOf({ neighbors, edges: [['w', 'constrains', 'fn:3/7'], ['w', 'about', 'fn:4']] }, 3);
  expect([...intents.keys()]).toEqual([7]);
  expect(intents.get(7)?.[0]).toMatchObject({ label: 'Wall', type: 'constrains', isReversed: false });
});

test('labels are one line without characters that turn the text around them', () => {
  expect(oneLine('a\n\u202eb\tc', 9)).toBe('a b c');
  expect(oneLine('x'.repeat(10_240), 5)).toBe('xxxx…');
});
