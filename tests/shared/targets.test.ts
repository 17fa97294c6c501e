import { expect, test } from 'vitest';
import { parseTargets, powersOfTen } from '#shared/targets.ts';

test('targets are numbers or evenly spaced powers of ten, each once, largest first', () => {
  expect(parseTargets(['1e-2, 10', '1'])).toEqual([10, 1, 0.01]);
  expect(parseTargets(['2..-8:51'])).toHaveLength(51);
  expect(parseTargets(['2..0:3', '1'])).toEqual([100, 10, 1]);
  expect(parseTargets([])).toEqual([]);
});

test('what is no target, or too many, makes none', () => {
  for (const wrong of ['x', '1,,2', '1..2', '2..-8:501', '1e999', '2..-8:0', '']) {
    expect(parseTargets([wrong]), wrong).toBeNull();
  }
});

test('powers of ten have both ends among them', () => {
  expect(powersOfTen(2, -2, 5)).toEqual([100, 10, 1, 0.1, 0.01]);
  expect(powersOfTen(2, -2, 1)).toEqual([100]);
});
