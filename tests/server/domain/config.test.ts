import { expect, test, vi } from 'vitest';
import { parseConfig, getValueAt } from '#server/domain/config.ts';

test('parseConfig returns integers with all digits, and other numbers as doubles', () => {
  expect(parseConfig('{"seed":9007199254740993,"a":-9223372036854775808}')).toEqual({
    seed: 9_007_199_254_740_993n,
    a: -9_223_372_036_854_775_808n,
  });
  const plainConfig = {
    a: 9_007_199_254_740_991,
    b: 1e300,
    c: 0.1234567890123456,
    d: '1234567890123456789',
  };
  expect(parseConfig(JSON.stringify(plainConfig))).toEqual(plainConfig);
});

test('parseConfig uses a slow reviver only for integers that a double may round', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const countArguments = (text: string) => {
    parse.mockClear();
    parseConfig(text);
    return parse.mock.calls.map((call) => call.length);
  };
  expect(countArguments('{"rate":[0.1234567890123456,-12.34567890123456789]}')).toEqual([1]);
  expect(countArguments('{"seed":-9007199254740993}')).toEqual([2]);
  expect(countArguments('{"seed": 9007199254740993}')).toEqual([2]);
  parse.mockRestore();
});

test.each(['', '{', '[1]', 'null', '3', '"text"', '{"a":1}}'])(
  'parseConfig(%j) is empty',
  (text) => {
    expect(parseConfig(text)).toEqual({});
  },
);

test('parseConfig is empty for a text that is nested too deep to be visited', () => {
  const nest = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(parseConfig(nest(4_000))).toEqual({});
  expect(parseConfig(nest(500))).toHaveProperty('a');
  const flatConfig = { text: '{"'.repeat(4_000), list: Array.from({ length: 1_000 }, () => []) };
  expect(parseConfig(JSON.stringify(flatConfig))).toEqual(flatConfig);
});

test('getValueAt follows only objects and their own keys', () => {
  const config = parseConfig('{"a":{"b":{"c":1}},"list":[{"c":2}]}');
  expect(getValueAt(config, ['a', 'b', 'c'])).toBe(1);
  for (const path of [
    ['a', 'c'],
    ['a', 'b', 'c', 'd'],
    ['list', '0', 'c'],
    ['a', 'toString'],
  ]) {
    expect(getValueAt(config, path)).toBeUndefined();
  }
});
