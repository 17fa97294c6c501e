import { expect, test } from 'vitest';
import { TextStore } from '#server/analysis/text-store.ts';

test('a text is found under its key until another takes its place', () => {
  const store = new TextStore(1_000);
  expect(store.find('a')).toBeNull();
  store.keep('a', 'one');
  store.keep('a', 'three');
  expect(store.find('a')).toBe('three');
  expect(store.bytes).toBe(2 * 'athree'.length);
});

test('the least recently used texts go when all together are too large, but never the last few', () => {
  const store = new TextStore(2_000);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const key of keys.slice(0, 4)) store.keep(key, 'x'.repeat(200));
  expect(store.find('a')).not.toBeNull();
  store.keep('e', 'x'.repeat(250));
  expect(keys.filter((key) => store.find(key) !== null)).toEqual(['a', 'c', 'd', 'e']);
  for (const key of keys) store.keep(key, 'x'.repeat(5_000));
  expect(keys.filter((key) => store.find(key) !== null)).toEqual(['b', 'c', 'd', 'e']);
});

test('A store of texts makes a text once, and again when it is gone', () => {
  const made: string[] = [];
  const make = (key: string) => (made.push(key), key.repeat(10));
  const store = new TextStore(0);
  for (const key of ['a', 'a', 'b', 'c', 'd', 'e', 'a']) {
    expect(store.ensure(key, make)).toBe(key.repeat(10));
  }
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});
