import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCsvField, formatCsvLine } from '#shared/csv.ts';

/** Arbitrary code points, also unpaired surrogates; special characters are frequent. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Array.from('=+-@," \r\n\t')),
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((characters) => characters.join(''));

test('writes a line of any values, with all digits and CRLF', () => {
  expect(formatCsvLine(['umda, "tuned"', 1234.5, true, null, undefined])).toBe(
    '"umda, ""tuned""",1234.5,true,,\r\n',
  );
});

test('numbers keep all their digits, also negative and tiny ones', () => {
  expect([-0.1, 1e-40, 1 / 3].map(formatCsvField)).toEqual(['-0.1', '1e-40', '0.3333333333333333']);
});

test('infinite numbers are readable in R and pandas, NaN and null are empty', () => {
  expect([Infinity, -Infinity, NaN, null].map(formatCsvField)).toEqual(['Inf', '-Inf', '', '']);
});

describe('text that a spreadsheet would read as a formula', () => {
  test.each(['=1+1', '+a', '-a', '@SUM(1)', '\t=1', ' =1', '＝1', '\u0000=1', '\ra', '-1+2'])(
    'gets an apostrophe: %j',
    (text) => {
      expect(formatCsvField(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  test('is not a number, such as a seed of 64 bits', () => {
    expect(['-9223372036854775808', '-1', '+1', '-1.5e-7'].map(formatCsvField)).toEqual([
      '-9223372036854775808',
      '-1',
      '+1',
      '-1.5e-7',
    ]);
  });

  test('is not any text with such a character inside', () => {
    expect(formatCsvField('cma-es')).toBe('cma-es');
    expect(formatCsvField('a=b')).toBe('a=b');
  });
});

test('any text is unchanged after parsing, except for the apostrophe', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const field = formatCsvField(text);
      const parsedField = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
      const displayedText = text.replaceAll('\0', '\u{FFFD}');
      expect([displayedText, `'${displayedText}`]).toContain(parsedField);
      if (!field.startsWith('"')) expect(field).not.toMatch(/[",\r\n]/);
    }),
  );
});
