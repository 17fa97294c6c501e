import { expect, test } from 'vitest';
import { getKeyName, matchKey } from '#renderer/state/key-sequence.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const known = ['g r', 'g e', '?', '/', 'mod+k'];

test('Ctrl and ⌘ are one modifier, and a letter has no case', () => {
  expect(getKeyName({ ...plain, key: 'K', ctrlKey: true })).toBe('mod+k');
  expect(getKeyName({ ...plain, key: 'k', metaKey: true })).toBe('mod+k');
  expect(getKeyName({ ...plain, key: 'R' })).toBe('r');
  expect(getKeyName({ ...plain, key: '?' })).toBe('?');
});

test('a single key hits at once', () => {
  expect(matchKey('', '?', known)).toEqual({ hit: '?', pending: '' });
});

test('a sequence waits for its second key', () => {
  expect(matchKey('', 'g', known)).toEqual({ hit: null, pending: 'g' });
  expect(matchKey('g', 'r', known)).toEqual({ hit: 'g r', pending: '' });
});

test('a key that continues nothing may still begin or be another', () => {
  expect(matchKey('g', '/', known)).toEqual({ hit: '/', pending: '' });
  expect(matchKey('g', 'g', known)).toEqual({ hit: null, pending: 'g' });
  expect(matchKey('g', 'x', known)).toEqual({ hit: null, pending: '' });
});
