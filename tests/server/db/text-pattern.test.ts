import { expect, test } from 'vitest';
import { isAscii, escapeLike, listSpellings } from '#server/db/text-pattern.ts';

test('isAscii is true for texts whose case LIKE ignores completely', () => {
  expect(isAscii('Run-01 %_\\')).toBe(true);
  expect(isAscii('Größe')).toBe(false);
});

test('escapeLike escapes wildcards and the escape character of LIKE', () => {
  expect(escapeLike('100%_\\x')).toBe('100\\%\\_\\\\x');
});

test('listSpellings returns both cases of a character if each has one character', () => {
  expect(listSpellings('aÖß1𝒳')).toEqual([['a', 'A'], ['Ö', 'ö'], ['ß'], ['1'], ['𝒳']]);
});
