import { expect, test } from 'vitest';
import { toLine } from '#server/formats/logged-run.ts';

test('toLine truncates a long text to whole characters', () => {
  expect(toLine(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199));
});
