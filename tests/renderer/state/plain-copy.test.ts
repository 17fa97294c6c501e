import { describe, expect, test } from 'vitest';
import { formatCount, formatFitness } from '#shared/number-format.ts';
import { getPlainNumbers } from '#renderer/state/plain-copy.ts';

describe('getPlainNumbers', () => {
  test('makes printed numbers readable for other programs', () => {
    const printed = [formatCount(1_234_567), formatFitness(-1.5e-9), formatFitness(-Infinity)];
    expect(getPlainNumbers(printed.join('\t'))).toBe('1234567\t-1.5e-9\t-∞');
  });

  test('leaves other minus signs and spaces as they are', () => {
    expect(getPlainNumbers('Shift A \u2212 B, 20\u2009%')).toBe('Shift A \u2212 B, 20\u2009%');
  });
});
