import { expect, test } from 'vitest';
import { number, rangeOf, rounded, stepOf, toStep, unitSign } from './numbers';

test('units have their signs', () => {
  expect(['millimeter', 'millimeter^3', 'inch^2', 'g', 'parsec^7'].map(unitSign)).toEqual(['mm', 'mm³', 'in²', 'g', 'parsec^7']);
});

test('values are rounded to their errors', () => {
  expect(rounded(16668, 68)).toEqual({ value: '16\u2009670', error: '70' });
  expect(rounded(314.189, 0.097)).toEqual({ value: '314.19', error: '0.10' });
  expect(rounded(20.001, 0.081)).toEqual({ value: '20.00', error: '0.08' });
  expect(rounded(-1.234, 0.017)).toEqual({ value: '−1.234', error: '0.017' });
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
    const steps = (high - low) / stepOf([low, high]);
    expect(steps).toBeGreaterThanOrEqual(199);
    expect(steps).toBeLessThanOrEqual(501);
  }
  expect(rangeOf(0)).toEqual([-10, 10]);
  expect(rangeOf(-3)).toEqual([-6, 0]);
  expect(toStep(0.30000000000000004, 0.01)).toBe(0.3);
});
