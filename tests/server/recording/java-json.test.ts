import { describe, expect, test } from 'vitest';
import { toDouble, formatDouble, formatJavaJson, sortKeys } from '#server/recording/recorder.ts';
import { parseJavaJson, readRunnerRows } from '#tests/support/runner-sample.ts';

describe('doubles', () => {
  test.each([
    [24, '24.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [0.35, '0.35'],
    [0.001, '0.001'],
    [0.0005, '5.0E-4'],
    [1e-8, '1.0E-8'],
    [4.548883488415534e-4, '4.548883488415534E-4'],
    [9_999_999, '9999999.0'],
    [1e7, '1.0E7'],
    [-1.234567e10, '-1.234567E10'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
  ])('%f is printed as in Java', (value, text) => {
    expect(formatDouble(value)).toBe(text);
  });
});

describe('JSON', () => {
  test('distinguishes doubles from integers, and keeps all 64 bits of a long', () => {
    const value = { count: 24, best: toDouble(24), seed: 7_134_074_521_766_642_662n };
    expect(formatJavaJson(value)).toBe('{"count":24,"best":24.0,"seed":7134074521766642662}');
  });

  test('writes numbers that are not finite as strings', () => {
    expect(formatJavaJson([toDouble(NaN), toDouble(Infinity)])).toBe('["NaN","Infinity"]');
  });

  test('sorts the keys of nested objects and keeps the order of arrays', () => {
    expect(formatJavaJson(sortKeys({ b: [{ d: null, c: true }], a: 'x' }))).toBe(
      '{"a":"x","b":[{"c":true,"d":null}]}',
    );
  });

  test('reproduces every payload of the runner byte for byte', () => {
    for (const { payload_json } of readRunnerRows('select payload_json from events')) {
      expect(formatJavaJson(parseJavaJson(payload_json))).toBe(payload_json);
    }
  });
});
