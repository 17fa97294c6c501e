import { expect, test } from 'vitest';
import { parseObject, readValueAfterKey } from '#server/telemetry/json.ts';

test('parseObject returns the object in JSON, and an empty object for any other text', () => {
  expect(parseObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of [null, '', '{', '[1]', '"a"', 'null', '7', 'NaN']) {
    expect(parseObject(text)).toEqual({});
  }
});

test.each([
  ['"k":{"a":[1,{"b":2}]},"rest":', { a: [1, { b: 2 }] }],
  ['"k" : []}', []],
  ['"k":{"a":"}]\\"{"}]', { a: '}]"{' }],
])('readValueAfterKey(%s) returns %j', (text, value) => {
  expect(readValueAfterKey(text)).toEqual(value);
});

test.each([null, '', '"k":', '"k":7,', '"k":"x"', '"k":{"a":1', '"k":{"a":"}', '"k":[1}', 'k:{}'])(
  'readValueAfterKey(%s) returns undefined',
  (text) => {
    expect(readValueAfterKey(text)).toBeUndefined();
  },
);

test('readValueAfterKey returns a value that contains a long text', () => {
  const longText = '\\"'.repeat(50_000);
  expect(readValueAfterKey(`"k":["${longText}"],`)).toEqual(['"'.repeat(50_000)]);
});
