import { expect, test } from 'vitest';
import { getReasonNotToCompare } from '#renderer/pages/campaigns/comparable.ts';

const of = (...suites: string[]) => getReasonNotToCompare(suites.map((suite) => ({ suite })));

test('two to twelve campaigns of one suite are compared; for others there is a reason not to', () => {
  expect(of('bbob', 'bbob')).toBeUndefined();
  expect(of()).toContain('Select two or more');
  expect(of('bbob')).toContain('Select two or more');
  expect(of(...Array<string>(13).fill('bbob'))).toBe('At most 12 campaigns can be compared.');
  expect(of('bbob', 'PBO')).toBe('Campaigns of different suites cannot be compared: PBO, bbob.');
});
