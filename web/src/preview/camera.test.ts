import { expect, test } from 'vitest';
import { HOME, VIEWS, centre, corners, directions, dot, frameOf, orbited, panned, roundLength, sub, zoomed, type Box, type Vec3 } from './camera';

const BOX: Box = [
  [1, 2, 3],
  [4, 8, 5],
];

function place(frame: ReturnType<typeof frameOf>, point: Vec3): Vec3 {
  const from = sub(point, frame.eye);
  return [dot(from, frame.right) / frame.pixel, dot(from, frame.up) / frame.pixel, dot(from, frame.forward)];
}

test('every view shows all corners, in front of the eye', () => {
  for (const view of Object.values(VIEWS)) {
    const frame = frameOf({ ...HOME, ...view }, BOX, 300, 200);
    for (const corner of corners(BOX)) {
      const [x, y, depth] = place(frame, corner);
      expect(Math.abs(x)).toBeLessThan(150);
      expect(Math.abs(y)).toBeLessThan(100);
      expect(depth).toBeGreaterThan(0);
      expect(depth).toBeLessThan(frame.far);
    }
  }
});

test('views have their axes where the server has them', () => {
  const close = (found: Vec3, wanted: Vec3) => wanted.forEach((part, axis) => expect(found[axis]).toBeCloseTo(part, 9));
  close(directions({ ...HOME, ...VIEWS.Front }).right, [1, 0, 0]);
  close(directions({ ...HOME, ...VIEWS.Left }).right, [0, -1, 0]);
  close(directions({ ...HOME, ...VIEWS.Top }).up, [0, 1, 0]);
  close(directions({ ...HOME, ...VIEWS.Bottom }).up, [0, -1, 0]);
  const third = 1 / Math.sqrt(3);
  close(directions(HOME).forward, [-third, third, -third]);
});

test('a dragged point follows the pointer, and a zoomed one stays below it', () => {
  const middle = centre(BOX);
  const before = frameOf(HOME, BOX, 300, 200);
  const [x, y] = place(before, middle);
  const after = place(frameOf(panned(HOME, before, 20, -10), BOX, 300, 200), middle);
  expect(after[0] - x).toBeCloseTo(20, 6);
  expect(after[1] - y).toBeCloseTo(10, 6);
  const corner: Vec3 = [4, 2, 5];
  const [cx, cy] = place(before, corner);
  const near = place(frameOf(zoomed(HOME, before, 3, [cx, cy]), BOX, 300, 200), corner);
  expect(near[0]).toBeCloseTo(cx, 6);
  expect(near[1]).toBeCloseTo(cy, 6);
});

test('orbits stay within the poles', () => {
  expect(orbited(HOME, 0, 1000).elevation).toBe(90);
  expect(orbited(HOME, 900, 0).azimuth).toBeGreaterThanOrEqual(-180);
});

test('lengths of scale bars are round', () => {
  expect([0.013, 7.9, 50, 19.99].map(roundLength)).toEqual([0.01, 5, 50, 10]);
});
