import { expect, test } from 'vitest';
import { getNamesMatching, stepIndex } from '#renderer/ui/matching.ts';

const names = ['UMDA elitist', 'umda plain', 'pbil'];

test('names match that contain every word, in any case and order', () => {
  expect(getNamesMatching(names, 'umda')).toEqual(['UMDA elitist', 'umda plain']);
  expect(getNamesMatching(names, ' Plain UM ')).toEqual(['umda plain']);
  expect(getNamesMatching(names, 'x')).toEqual([]);
});

test('all names match an empty text', () => {
  expect(getNamesMatching(names, '  ')).toEqual(names);
});

test('an arrow key moves around the ends of a list, and stays at 0 in an empty one', () => {
  expect([stepIndex(0, 1, 3), stepIndex(2, 1, 3), stepIndex(0, -1, 3)]).toEqual([1, 0, 2]);
  expect([stepIndex(0, 1, 0), stepIndex(0, -1, 0)]).toEqual([0, 0]);
});
