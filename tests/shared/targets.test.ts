import { expect, test } from 'vitest';
import { parseTargets, listPowersOfTen } from '#shared/targets.ts';

test('parseTargets accepts numbers and evenly spaced powers of ten, without duplicates, largest first', () => {
  expect(parseTargets(['1e-2, 10', '1'])).toEqual([10, 1, 0.01]);
  expect(parseTargets(['2..-8:51'])).toHaveLength(51);
  expect(parseTargets(['2..0:3', '1'])).toEqual([100, 10, 1]);
  expect(parseTargets([])).toEqual([]);
});

test('parseTargets returns null for invalid or too many targets', () => {
  for (const invalidText of ['x', '1,,2', '1..2', '2..-8:501', '1e999', '2..-8:0', '']) {
    expect(parseTargets([invalidText]), invalidText).toBeNull();
  }
});

test('listPowersOfTen includes both ends', () => {
  expect(listPowersOfTen(2, -2, 5)).toEqual([100, 10, 1, 0.1, 0.01]);
  expect(listPowersOfTen(2, -2, 1)).toEqual([100]);
});
