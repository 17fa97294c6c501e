import { expect, test } from 'vitest';
import { formatScales, parseScales } from '#renderer/pages/analysis/chart-scales.ts';

const linear = { x: 'linear', y: 'linear' } as const;
const logX = { x: 'log', y: 'linear' } as const;

test('what is written into the address is read back, whatever is usual', () => {
  for (const usual of [linear, logX]) {
    for (const x of ['linear', 'log'] as const) {
      for (const y of ['linear', 'log'] as const) {
        expect(parseScales(formatScales({ x, y }, usual) ?? '', usual)).toEqual({ x, y });
      }
    }
  }
});

test('the usual scales need no text, and nonsense stands for them', () => {
  expect(formatScales(logX, logX)).toBeUndefined();
  expect(parseScales('yx', logX)).toEqual(logX);
});
