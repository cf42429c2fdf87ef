import { afterEach, expect, it, vi } from 'vitest';
import { followProgress } from './progress';

afterEach(() => vi.unstubAllGlobals());

it('reports shares that do not shrink, and none between two stages', async () => {
  const reports = [[5, 10], [10, 10], [0, 1000], [400, 1000], [300, 1000]];
  const events = reports.map(([done, total]) => `event: progress\ndata: ${JSON.stringify({ done, total })}\n\n`);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(events.join(''))));
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  const shares: (number | null)[] = [];
  await followProgress('one', (share) => shares.push(share), new AbortController().signal);
  expect(shares).toEqual([0.5, null, null, 0.4, 0.4]);
});
