import { expect, test } from 'vitest';
import { moveRow } from '#renderer/ui/table/row-keys.ts';

test('keys move between rows and stop at both ends', () => {
  expect(moveRow('ArrowDown', 3, 25)).toBe(4);
  expect(moveRow('ArrowUp', 0, 25)).toBe(0);
  expect(moveRow('PageDown', 20, 25)).toBe(24);
  expect(moveRow('PageUp', 12, 25)).toBe(2);
  expect(moveRow('Home', 12, 25)).toBe(0);
  expect(moveRow('End', 12, 25)).toBe(24);
});

test('any other key moves nothing', () => {
  expect(moveRow('Enter', 3, 25)).toBeNull();
  expect(moveRow('a', 3, 25)).toBeNull();
});
