import { expect, test } from 'vitest';
import { getProblemPath } from '#renderer/paths.ts';

test('the path of a problem keeps the choices of the query', () => {
  expect(getProblemPath('a b')).toBe('/problems/a%20b');
  expect(getProblemPath('onemax', '0a1b')).toBe('/problems/onemax?instance=0a1b');
  expect(getProblemPath('onemax', '0a1b', { direction: 'max', target: 1e-8 })).toBe(
    '/problems/onemax?instance=0a1b&direction=max&target=1e-8',
  );
  expect(getProblemPath('onemax', '0a1b', { direction: undefined, target: 0 })).toBe(
    '/problems/onemax?instance=0a1b&target=0',
  );
  const choices = { failed: 'exclude', stopped: undefined, targets: ['1,2'] };
  expect(getProblemPath('onemax', '0a1b', choices)).toBe(
    '/problems/onemax?instance=0a1b&failed=exclude&targets=1%2C2',
  );
  expect(getProblemPath('onemax', undefined, { targets: [] })).toBe('/problems/onemax');
});
