import { expect, test } from 'vitest';
import { getSortedObjectives } from '#renderer/pages/run/objectives.ts';

test('true objectives come first by number, then the other metrics by name', () => {
  const names = ['std', 'best_obj_10', 'adaptive_event_count', 'best_obj_2', 'best'];
  const objectives = names.map((name) => ({ name, value: 1 }));
  expect(getSortedObjectives(objectives).map(({ name }) => name)).toEqual([
    'best_obj_2',
    'best_obj_10',
    'adaptive_event_count',
    'best',
    'std',
  ]);
  expect(objectives[0]?.name).toBe('std');
});
