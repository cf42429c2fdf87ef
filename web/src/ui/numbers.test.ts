import { expect, test } from 'vitest';
import { number, parseNumber, parseNumbers, rangeOf, rounded, short, shown, sliderStep, stepOf, toStep, unitSign } from './numbers';

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

test('units have their signs', () => {
  expect(['millimeter', 'millimeter^3', 'inch^2', 'g', 'parsec^7'].map(unitSign)).toEqual(['mm', 'mm³', 'in²', 'g', 'parsec^7']);
});

test('values are rounded to their errors', () => {
  expect(rounded(16668, 68)).toEqual({ value: '16\u2009670', error: '70' });
  expect(rounded(314.189, 0.097)).toEqual({ value: '314.19', error: '0.10' });
  expect(rounded(20.001, 0.081)).toEqual({ value: '20.00', error: '0.08' });
  expect(rounded(-1.234, 0.017)).toEqual({ value: '−1.234', error: '0.017' });
  expect(rounded(60, 0.00019)).toEqual({ value: '60.0000', error: '0.0002' });
  expect(rounded(60, 1e-7)).toEqual({ value: '60.0000', error: null });
  expect(rounded(10, 0)).toEqual({ value: '10', error: null });
  expect(rounded(-0.001, 0.5).value).toBe('0.0');
});

test('numbers are readable at any size', () => {
  expect([1234, 12345, 0.1 + 0.2, 3e-9, -2e12].map((value) => number(value))).toEqual(['1234', '12\u2009345', '0.3', '3.00e−9', '−2.00e12']);
});

test('ranges hold the value and begin at 0', () => {
  for (const value of [0.006, 0.2, 1, 4, 12.5, 99, 360, 10000]) {
    const [low, high] = rangeOf(value);
    expect(low).toBe(0);
    expect(high).toBeGreaterThanOrEqual(value * 2 * 0.999);
    expect(high).toBeLessThan(value * 4.1);
    const steps = (high - low) / sliderStep([low, high]);
    expect(steps).toBeGreaterThanOrEqual(199);
    expect(steps).toBeLessThanOrEqual(501);
  }
  expect(rangeOf(0)).toEqual([-10, 10]);
  expect(rangeOf(-3)).toEqual([-6, 0]);
  expect(toStep(0.30000000000000004, 0.01)).toBe(0.3);
});
