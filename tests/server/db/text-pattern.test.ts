import { expect, test } from 'vitest';
import { isAscii, likeLiteral, spellings } from '#server/db/text-pattern.ts';

test('ASCII is what LIKE folds completely', () => {
  expect(isAscii('Run-01 %_\\')).toBe(true);
  expect(isAscii('Größe')).toBe(false);
});

test('Wildcards and the escape character of LIKE are escaped', () => {
  expect(likeLiteral('100%_\\x')).toBe('100\\%\\_\\\\x');
});

test('A character is spelled in both cases where each is one character', () => {
  expect(spellings('aÖß1𝒳')).toEqual([['a', 'A'], ['Ö', 'ö'], ['ß'], ['1'], ['𝒳']]);
});
