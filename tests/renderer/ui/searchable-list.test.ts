import { expect, test } from 'vitest';
import { getNamesMatching } from '#renderer/ui/matching.ts';

const names = ['UMDA elitist', 'umda plain', 'pbil'];

test('names match that contain every word, in any case and order', () => {
  expect(getNamesMatching(names, 'umda')).toEqual(['UMDA elitist', 'umda plain']);
  expect(getNamesMatching(names, ' Plain UM ')).toEqual(['umda plain']);
  expect(getNamesMatching(names, 'x')).toEqual([]);
});

test('all names match an empty text', () => {
  expect(getNamesMatching(names, '  ')).toEqual(names);
});
