import { expect, test } from 'vitest';
import { formatPlan } from '#renderer/pages/campaign/campaign-plan.ts';

test('a plan is shown as sorted ranges', () => {
  expect(formatPlan('[1,2,3,4,5]')).toBe('1–5');
  expect(formatPlan('[5,2,3,10]')).toBe('2, 3, 5, 10');
  expect(formatPlan('[3,2,1,71,72,73,80]')).toBe('1–3, 71–73, 80');
  expect(formatPlan('[7,7]')).toBe('7');
});

test('a plan of many ranges is shown as its size, and an empty plan as a dash', () => {
  expect(formatPlan('[1,3,5,7,9,11,13]')).toBe('7');
  for (const none of ['', '[]', '{}', '["a"]', '[1']) expect(formatPlan(none)).toBe('–');
});
