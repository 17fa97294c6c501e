import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvField, writeCsv } from '#server/formats/csv.ts';

/** Any code points, unpaired surrogates too, the awkward ones often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Array.from('=+-@," \r\n\t')),
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((characters) => characters.join(''));

const table = {
  columns: [
    { key: 'name', header: 'Name', format: 'text' as const },
    { key: 'ert', header: 'ERT', format: 'count' as const },
  ],
  rows: [
    { cells: { name: 'umda, "tuned"', ert: 1234.5 }, best: ['ert'] },
    { cells: { name: '=SUM(A1)', ert: Infinity } },
    { cells: { name: null } },
  ],
};

test('writes a header and one line per row, with all digits and CRLF', () => {
  expect(writeCsv(Object.freeze(table))).toBe(
    'Name,ERT\r\n"umda, ""tuned""",1234.5\r\n\'=SUM(A1),Inf\r\n,\r\n',
  );
});

test('numbers keep all their digits, also negative and tiny ones', () => {
  expect([-0.1, 1e-40, 1 / 3].map(csvField)).toEqual(['-0.1', '1e-40', '0.3333333333333333']);
});

test('infinite numbers read as such in R and pandas, NaN and null are empty', () => {
  expect([Infinity, -Infinity, NaN, null].map(csvField)).toEqual(['Inf', '-Inf', '', '']);
});

describe('text that a spreadsheet takes for a formula', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', ' =1', '＝1', '\u0000=1'])(
    'gets an apostrophe: %j',
    (text) => {
      expect(csvField(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  test('is not any text with such a character inside', () => {
    expect(csvField('cma-es')).toBe('cma-es');
    expect(csvField('a=b')).toBe('a=b');
  });
});

test('any text comes back from a reader of CSV, but for the apostrophe', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const field = csvField(text);
      const read = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
      expect([text, `'${text}`]).toContain(read);
      if (!field.startsWith('"')) expect(field).not.toMatch(/[",\r\n]/);
    }),
  );
});
