import { expect, test } from 'vitest';
import { namesMatching } from '#renderer/ui/matching.ts';

const names = ['UMDA elitist', 'umda plain', 'pbil'];

test('names match that contain every word, in any case and order', () => {
  expect(namesMatching(names, 'umda')).toEqual(['UMDA elitist', 'umda plain']);
  expect(namesMatching(names, ' Plain UM ')).toEqual(['umda plain']);
  expect(namesMatching(names, 'x')).toEqual([]);
});

test('all names match an empty text', () => {
  expect(namesMatching(names, '  ')).toEqual(names);
});
