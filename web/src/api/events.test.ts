import { expect, test } from 'vitest';
import { parse } from './events';

test('events are told apart, comments are skipped, and what is not complete remains', () => {
  const { messages, rest } = parse(': hello\nretry: 1000\n\nid: demo:5\nevent: change\ndata: {"a":\ndata: 1}\n\nevent: resync\ndata: {}\n\nid: demo:6\nda');
  expect(messages).toEqual([
    { event: 'change', id: 'demo:5', data: '{"a":\n1}' },
    { event: 'resync', id: null, data: '{}' },
  ]);
  expect(rest).toBe('id: demo:6\nda');
});
