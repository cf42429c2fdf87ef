import { expect, test } from 'vitest';
import { parseNumber, parseNumbers, short, shown, stepOf, toStep } from './numbers';

test('numbers are read as people write them', () => {
  expect(['5', ' -1.5e3 ', '2,5', '.5', '−4'].map(parseNumber)).toEqual([5, -1500, 2.5, 0.5, -4]);
  expect(['', 'a', '1 mm', '--1'].map(parseNumber)).toEqual([null, null, null, null]);
  expect(parseNumbers('[1, 2; 3]')).toEqual([1, 2, 3]);
  expect(parseNumbers('1, x')).toBeNull();
});

test('numbers are short, and steps leave no noise', () => {
  expect([0.1 + 0.2, 6.283185307, 1e9, 1e-7, 0].map((value) => short(value))).toEqual(['0.3', '6.28319', '1e9', '1e-7', '0']);
  expect(shown([1, 2.3456, 3])).toBe('1, 2.35, 3');
  expect([stepOf(5), stepOf(30), stepOf(0)]).toEqual([0.1, 1, 0.1]);
  expect(toStep(5 + 25 * 0.1, 0.1)).toBe(7.5);
});
