import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asChoice,
  asFlag,
  asList,
  asNumber,
  asText,
  decodePathText,
  getTexts,
  type UrlKind,
} from '#renderer/state/url-kinds.ts';

describe('the texts of a name in the address', () => {
  test('are trimmed, each once, and never empty', () => {
    expect(getTexts(undefined)).toEqual([]);
    expect(getTexts('')).toEqual([]);
    expect(getTexts(' umda ')).toEqual(['umda']);
    expect(getTexts(['umda', '', ' pbil', 'umda '])).toEqual(['umda', 'pbil']);
  });
});

describe('a choice', () => {
  const tab = asChoice(['fitness', 'events'], 'fitness');

  test('has its default if the address has no value or an unknown one', () => {
    expect(tab.parse([])).toBe('fitness');
    expect(tab.parse(['Events'])).toBe('fitness');
    expect(tab.parse(['events'])).toBe('events');
  });

  test('is not in the address if it is the default', () => {
    expect(tab.format('fitness')).toEqual([]);
    expect(tab.format('events')).toEqual(['events']);
    expect(asChoice(['min', 'max'], undefined).format(undefined)).toEqual([]);
  });

  test('adds an entry to the history, so that Back restores its previous value', () => {
    expect(tab.history('fitness', 'events')).toBe('push');
  });
});

describe('a text', () => {
  test('is trimmed and truncated to the maximum length', () => {
    expect(asText(4).parse(['abc def'])).toBe('abc');
    expect(asText(4).parse(['abc𝛼'])).toBe('abc');
    expect(asText().parse([])).toBe('');
  });

  test('adds to the history when it begins, not while it is typed on or cleared', () => {
    expect(asText().history('', 'o')).toBe('push');
    expect(asText().history('o', 'on')).toBe('replace');
    expect(asText().history('on', '')).toBe('replace');
  });
});

test('a flag is on by its one word only and leaves the history alone', () => {
  const traces = asFlag('shown');
  expect(traces.parse(['shown'])).toBe(true);
  expect(traces.parse(['true'])).toBe(false);
  expect(traces.format(true)).toEqual(['shown']);
  expect(traces.format(false)).toEqual([]);
  expect(traces.history(false, true)).toBe('replace');
});

describe('a number', () => {
  const page = asNumber(1, (value) => Number.isInteger(value) && value >= 1);

  test('has its default if the text is no number, infinite or not allowed', () => {
    for (const text of ['', 'two', '0', '-3', '1.5', '1e999', '0x10']) {
      expect(page.parse([text]), text).toBe(1);
    }
    expect(page.parse(['3'])).toBe(3);
    expect(asNumber(undefined).parse(['1e-3'])).toBe(0.001);
    expect(asNumber(undefined).parse(['low'])).toBeUndefined();
  });

  test('is not in the address if it is the default', () => {
    expect(page.format(1)).toEqual([]);
    expect(page.format(2)).toEqual(['2']);
    expect(asNumber(undefined).format(0)).toEqual(['0']);
  });
});

test('each kind parses the texts that it formats to the same value', () => {
  const comesBack = <Value>(kind: UrlKind<Value>, values: fc.Arbitrary<Value>): void =>
    fc.assert(
      fc.property(values, (value) => {
        expect(kind.parse(getTexts([...kind.format(value)]))).toEqual(value);
      }),
    );
  const words = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text === text.trim());
  comesBack(asText(20), words);
  comesBack(asList(), fc.uniqueArray(words));
  comesBack(asFlag('on'), fc.boolean());
  // The sign of zero is no part of a number here.
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  comesBack(asNumber(undefined), numbers);
});

test('a part of a path is decoded once, and left as it is when it cannot be', () => {
  expect(decodePathText('a%20b%3A%2B%25%2F%C3%B6%F0%9F%90%9D')).toBe('a b:+%/ö🐝');
  expect(decodePathText('%2520')).toBe('%20');
  expect(decodePathText('100%')).toBe('100%');
});
