import { describe, expect, it } from 'vitest';
import type { Schema } from '../api/client';
import { isOpen, markOf, sorted } from './model';

const node = (data: unknown, more: object = {}) =>
  ({ id: 'n1', label: 'thicker', types: ['mark'], creator: 'page', created: '2026-01-01T00:00:00Z', modified: '', version: 1, about: ['fn:1/7'], data, ...more }) as unknown as Schema['MarkShown'];
const answered = { observations: [{ text: 'done', at: '', by: 'agent' }] };

describe('marks', () => {
  it('have a status, whatever their data is', () => {
    const cases: [unknown, object, string][] = [
      [{}, {}, 'open'],
      [undefined, {}, 'open'],
      [{ status: 'strange' }, {}, 'open'],
      [{ status: 'open' }, answered, 'answered'],
      [{ status: 'done' }, answered, 'done'],
      [{ status: 'declined' }, {}, 'declined'],
    ];
    for (const [data, more, status] of cases) expect(markOf(node(data, more)).status).toBe(status);
  });
  it('keep only what is a place', () => {
    expect(markOf(node({ point: [1, 2, 3], normal: [1, 2], revision: '4' }))).toMatchObject({ point: [1, 2, 3], normal: null, revision: null });
    expect(markOf(node({ point: [1, 2, '3'] })).point).toBeNull();
  });
  it('are sorted by what waits for the person', () => {
    const marks = [node({ status: 'done' }), node({}), node({}, answered)].map((one) => markOf(one));
    expect(sorted(marks).map((one) => one.status)).toEqual(['answered', 'open', 'done']);
    expect(marks.filter(isOpen).length).toBe(2);
  });
});
