import { expect, test } from 'vitest';
import { parseThemeChoice } from '#renderer/state/theme.ts';

test('an unknown or missing choice follows the system', () => {
  expect(['light', 'dark', 'system', 'pink', null].map(parseThemeChoice)).toEqual([
    'light',
    'dark',
    'system',
    'system',
    'system',
  ]);
});
