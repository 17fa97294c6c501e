import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatDistinctFitness,
  formatFitness,
  formatPValue,
  formatRuntime,
  formatShare,
  formatShareDifference,
  formatStatistic,
  describePValue,
} from '#shared/number-format.ts';

describe('formatFitness', () => {
  test('shows up to 6 significant digits without trailing zeros', () => {
    expect(formatFitness(0.375727165919566)).toBe('0.375727');
    expect(formatFitness(33.1594659261768)).toBe('33.1595');
    expect(formatFitness(40)).toBe('40');
    expect(formatFitness(1.5)).toBe('1.5');
    expect(formatFitness(123456.7)).toBe('123457');
  });

  test('uses powers of ten for very small and very large values', () => {
    expect(formatFitness(1.2e-9)).toBe('1.2e−9');
    expect(formatFitness(9.99999e-5)).toBe('9.99999e−5');
    expect(formatFitness(0.0001)).toBe('0.0001');
    expect(formatFitness(1e9)).toBe('1e9');
    expect(formatFitness(2.5e20)).toBe('2.5e20');
    expect(formatFitness(-1e-10)).toBe('−1e−10');
  });

  test('uses the minus sign U+2212, and none for zero', () => {
    expect(formatFitness(-41.96)).toBe('−41.96');
    expect(formatFitness(-0)).toBe('0');
  });

  test('returns ∞ for infinities and a dash for missing values', () => {
    expect([Infinity, -Infinity].map(formatFitness)).toEqual(['∞', '−∞']);
    expect([null, undefined, Number.NaN].map(formatFitness)).toEqual(['–', '–', '–']);
  });
});

describe('formatDistinctFitness', () => {
  test('returns the texts of formatFitness, and all digits if two of them are equal', () => {
    expect(formatDistinctFitness([1.0000001, 2])).toEqual(['1', '2']);
    expect(formatDistinctFitness([1.0000001, 1, -1e-9])).toEqual(['1.0000001', '1', '−1e−9']);
    expect(formatDistinctFitness([NaN, 2e21, 2.0000001e21])).toEqual(['–', '2e21', '2.0000001e21']);
  });
});

describe('formatCount', () => {
  test('separates thousands by thin spaces', () => {
    expect(formatCount(999)).toBe('999');
    expect(formatCount(1200)).toBe('1\u2009200');
    expect(formatCount(480000)).toBe('480\u2009000');
    expect(formatCount(-1234567)).toBe('−1\u2009234\u2009567');
  });

  test('keeps all digits of an integer in a text', () => {
    expect(formatCount('9223372036854775807')).toBe(
      '9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009807',
    );
    expect(formatCount('-9007199254740993')).toBe(
      '−9\u2009007\u2009199\u2009254\u2009740\u2009993',
    );
  });

  test('returns text that is not an integer unchanged', () => {
    expect(['run1234567', '1.5', '-Infinity', '1e+300'].map(formatCount)).toEqual([
      'run1234567',
      '1.5',
      '-Infinity',
      '1e+300',
    ]);
  });

  test('rounds fractions, and returns ∞ for infinities', () => {
    expect(formatCount(878.4)).toBe('878');
    expect([Infinity, -Infinity].map(formatCount)).toEqual(['∞', '−∞']);
    expect([null, undefined, Number.NaN].map(formatCount)).toEqual(['–', '–', '–']);
  });
});

describe('formatRuntime', () => {
  test('keeps four significant digits, and every digit before the point', () => {
    expect([16.884, 17, 0.33333, 999.94, 999.96].map(formatRuntime)).toEqual([
      '16.88',
      '17',
      '0.3333',
      '999.9',
      '1\u2009000',
    ]);
    expect([1234.4, 123_456.7].map(formatRuntime)).toEqual(['1\u2009234', '123\u2009457']);
  });

  test('uses powers of ten above 1e15, and returns ∞ for infinities', () => {
    expect([1e15, 1.5e300, Infinity, null].map(formatRuntime)).toEqual([
      '1e15',
      '1.5e300',
      '∞',
      '–',
    ]);
  });
});

describe('formatDuration', () => {
  test('chooses the unit by the length', () => {
    expect(formatDuration(53)).toBe('53 ms');
    expect(formatDuration(3600)).toBe('3.6 s');
    expect(formatDuration(252_000)).toBe('4 min 12 s');
    expect(formatDuration(7_500_000)).toBe('2 h 5 min');
    expect(formatDuration(273_600_000)).toBe('3 d 4 h');
  });

  test('never shows 1000 ms, 60 s, 60 min or 24 h', () => {
    expect(formatDuration(999.6)).toBe('1.0 s');
    expect(formatDuration(59_960)).toBe('1 min 0 s');
    expect(formatDuration(3_599_600)).toBe('1 h 0 min');
    expect(formatDuration(86_399_000)).toBe('1 d 0 h');
  });

  test('accepts the decimal text of a large integer, and returns a dash for missing values', () => {
    expect(formatDuration('252000')).toBe('4 min 12 s');
    expect([null, undefined, Number.NaN].map(formatDuration)).toEqual(['–', '–', '–']);
  });

  test('returns text that is not a number unchanged', () => {
    expect(formatDuration('soon')).toBe('soon');
    expect(formatDuration('')).toBe('');
  });
});

describe('formatBytes', () => {
  test('steps by 1024 and keeps one decimal', () => {
    expect(formatBytes(0)).toBe('0 B');
    expect(formatBytes(1023)).toBe('1023 B');
    expect(formatBytes(1536)).toBe('1.5 kB');
    expect(formatBytes(29_581_312)).toBe('28.2 MB');
    expect(formatBytes(5 * 1024 ** 5)).toBe('5120.0 TB');
  });

  test('never returns 1024.0 of a unit with a larger one', () => {
    expect(formatBytes(1024 ** 2 - 1)).toBe('1.0 MB');
  });

  test('returns a dash for missing values', () => {
    expect([null, undefined, Number.NaN].map(formatBytes)).toEqual(['–', '–', '–']);
  });
});

describe('formatPValue', () => {
  test('shows three significant digits without trailing zeros', () => {
    expect([0.0123456, 0.05, 1, 0.9999, 0.001].map(formatPValue)).toEqual([
      '0.0123',
      '0.05',
      '1',
      '1',
      '0.001',
    ]);
  });

  test('returns the value, not a bound, also for very small values', () => {
    expect(formatPValue(4.5123e-8)).toBe('4.51e−8');
    expect(formatPValue(1e-40)).toBe('1e−40');
    expect(formatPValue(1.2345e-300)).toBe('1.23e−300');
    expect([2.3e-308, 1e-310, 0].map(formatPValue)).toEqual(['2.3e−308', '< 1e−300', '< 1e−300']);
    expect([0.05, 0, null].map(describePValue)).toEqual(['p = 0.05', 'p < 1e−300', 'p = –']);
  });

  test('uses powers of ten only after rounding', () => {
    expect(formatPValue(0.00099996)).toBe('0.001');
    expect(formatPValue(0.000999)).toBe('9.99e−4');
  });

  test('returns a dash for missing values', () => {
    expect([null, undefined, Number.NaN].map(formatPValue)).toEqual(['–', '–', '–']);
  });
});

describe('formatStatistic', () => {
  test('shows four significant digits', () => {
    expect([2 / 3, 10.95238, 1e-7, -1.23456].map(formatStatistic)).toEqual([
      '0.6667',
      '10.95',
      '1e−7',
      '−1.235',
    ]);
  });

  test('returns ∞ for infinities and a dash for missing values', () => {
    expect([Infinity, null, undefined, Number.NaN].map(formatStatistic)).toEqual([
      '∞',
      '–',
      '–',
      '–',
    ]);
  });
});

describe('formatShareDifference', () => {
  test('uses the minus sign U+2212 for a negative difference, and none for zero', () => {
    expect([-1 / 3, -0.0001, -0, 0.0001].map(formatShareDifference)).toEqual([
      '−33.3\u2009%',
      '0.0\u2009%',
      '0.0\u2009%',
      '0.0\u2009%',
    ]);
  });
});

describe('formatShare', () => {
  test('shows 0 % and 100 % only where none or all are counted', () => {
    expect([1 / 2160, 2159 / 2160, 1 / 2000, 1998 / 2000].map(formatShare)).toEqual([
      '< 0.1\u2009%',
      '> 99.9\u2009%',
      '0.1\u2009%',
      '99.9\u2009%',
    ]);
  });

  test('shows per cent with one decimal', () => {
    expect([0, 13 / 15, 1].map(formatShare)).toEqual(['0.0\u2009%', '86.7\u2009%', '100.0\u2009%']);
  });

  test('returns a dash for missing values', () => {
    expect([null, undefined, Number.NaN].map(formatShare)).toEqual(['–', '–', '–']);
  });
});
