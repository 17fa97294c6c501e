import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getJsonTokens } from '#renderer/ui/json-text.ts';

function laidOut(text: string): string | undefined {
  return getJsonTokens(text)
    ?.map((token) => token.text)
    .join('');
}

describe('jsonTokens', () => {
  test('lays objects out line by line and keeps lists of values on one line', () => {
    expect(laidOut('{"a":{"b":[1,2],"c":[]},"d":[{"e":null}],"f":{}}')).toBe(
      [
        '{',
        '  "a": {',
        '    "b": [1, 2],',
        '    "c": []',
        '  },',
        '  "d": [',
        '    {',
        '      "e": null',
        '    }',
        '  ],',
        '  "f": {}',
        '}',
      ].join('\n'),
    );
  });

  test('keeps every digit and escape as stored', () => {
    const text = '{"seed":9223372036854775807,"at":1795254850.518673913,"s":"\\u00e9\\"{","n":6.0}';
    const layout = laidOut(text) ?? '';
    for (const kept of ['9223372036854775807', '1795254850.518673913', '"\\u00e9\\"{"', '6.0']) {
      expect(layout).toContain(kept);
    }
  });

  test('has the kind of each token', () => {
    expect(
      getJsonTokens('{"key":["text",-1.5e3,true]}')?.filter(({ kind }) => kind !== 'space'),
    ).toEqual([
      { kind: 'mark', text: '{' },
      { kind: 'key', text: '"key"' },
      { kind: 'mark', text: ':' },
      { kind: 'mark', text: '[' },
      { kind: 'string', text: '"text"' },
      { kind: 'mark', text: ',' },
      { kind: 'number', text: '-1.5e3' },
      { kind: 'mark', text: ',' },
      { kind: 'literal', text: 'true' },
      { kind: 'mark', text: ']' },
      { kind: 'mark', text: '}' },
    ]);
  });

  test('is null for text that is not JSON', () => {
    for (const text of ['', '{"a":1', '{a:1}', 'NaN', '{"a":1} x']) {
      expect(getJsonTokens(text)).toBeNull();
    }
  });

  test('never changes the value of the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(JSON.parse(laidOut(text) ?? ''))).toBe(text);
      }),
    );
  });
});
