import { expect, test } from 'vitest';
import { parseObject, valueAfterKey } from '#server/telemetry/json.ts';

test('An object is read out of JSON that is one, and is empty out of all else', () => {
  expect(parseObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of [null, '', '{', '[1]', '"a"', 'null', '7', 'NaN']) {
    expect(parseObject(text)).toEqual({});
  }
});

test.each([
  ['"k":{"a":[1,{"b":2}]},"rest":', { a: [1, { b: 2 }] }],
  ['"k" : []}', []],
  ['"k":{"a":"}]\\"{"}]', { a: '}]"{' }],
])('The value after the key of %s is %j', (text, value) => {
  expect(valueAfterKey(text)).toEqual(value);
});

test.each([null, '', '"k":', '"k":7,', '"k":"x"', '"k":{"a":1', '"k":{"a":"}', '"k":[1}', 'k:{}'])(
  'There is no value after the key of %s',
  (text) => {
    expect(valueAfterKey(text)).toBeUndefined();
  },
);

test('A long text in a value is no obstacle', () => {
  const long = '\\"'.repeat(50_000);
  expect(valueAfterKey(`"k":["${long}"],`)).toEqual(['"'.repeat(50_000)]);
});
