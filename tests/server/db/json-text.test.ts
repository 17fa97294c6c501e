import { describe, expect, test } from 'vitest';
import { readArrayLength, readInteger } from '#server/repositories/iterations.ts';

describe('The integer after a key', () => {
  test.each([
    ['"populationSize":20,"eliteSize":8', 20],
    ['"populationSize" : -3}', -3],
    ['"populationSize":20}', 20],
    ['"populationSize":20', null],
    ['"populationSize":20.5,', null],
    ['"populationSize":2e3,', null],
    ['"populationSize":"20"', null],
    ['"populationSize":', null],
    ['"populationSize":12345678901234567890,', null],
    ['', null],
    [null, null],
  ])('of %j is %j', (text, value) => {
    expect(readInteger(text)).toBe(value);
  });
});

describe('The length of the array after a key', () => {
  test.each([
    ['"adaptiveActions":[]}', 0],
    ['"adaptiveActions": [{"a":[1,2]},{"b":"]"}]}', 2],
    ['"adaptiveActions":[1],"more":{"x":[1,2,3]}}', 1],
    ['"adaptiveActions":[1', null],
    ['"adaptiveActions":{}}', null],
    ['"adaptiveActions":[1]}}', null],
    ['', null],
    [null, null],
  ])('of %j is %j', (text, length) => {
    expect(readArrayLength(text)).toBe(length);
  });
});
