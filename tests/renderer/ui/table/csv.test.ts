import { describe, expect, test } from 'vitest';
import {
  getCsv,
  describeCsv,
  getTableFields,
  getTsv,
  makeIntervalFields,
} from '#renderer/ui/table/csv.ts';

describe('getCsv', () => {
  test('ends lines with CRLF, quotes what must be quoted, leaves missing values empty', () => {
    const rows = [
      ['a,b', 1.5, null],
      ['say "hi"', -2e-9, undefined],
      ['two\nlines', true, Number.NaN],
    ];
    expect(getCsv(['Name', 'Best', 'End'], rows)).toBe(
      'Name,Best,End\r\n"a,b",1.5,\r\n"say ""hi""",-2e-9,\r\n"two\nlines",true,\r\n',
    );
  });

  test('escapes text that a spreadsheet would read as a formula', () => {
    const hostile = ['=1+1', '+SUM(A1)', '-cmd', '@x', '\t=1', '\r=1'];
    const fields = getCsv(
      ['=H'],
      hostile.map((text) => [text]),
    ).split('\r\n');
    expect(fields[0]).toBe("'=H");
    expect(fields[1]).toBe("'=1+1");
    expect(fields[2]).toBe("'+SUM(A1)");
    expect(fields[3]).toBe("'-cmd");
    expect(fields[4]).toBe("'@x");
    expect(fields[5]).toBe("'\t=1");
    expect(fields[6]).toBe('"\'\r=1"');
  });

  test('writes infinite numbers as the service does', () => {
    expect(getCsv(['ERT'], [[Infinity], [-Infinity]])).toBe('ERT\r\nInf\r\n-Inf\r\n');
  });

  test('keeps numbers, decimal strings of large seeds included', () => {
    expect(getCsv(['Seed'], [['-9223372036854775808'], [-3]])).toBe(
      'Seed\r\n-9223372036854775808\r\n-3\r\n',
    );
  });
});

test('describeCsv describes the content of the file', () => {
  expect(describeCsv(false, true).replace(/\s/g, ' ')).toBe(
    'Save the shown columns of all rows, at most 10 000, as CSV',
  );
  expect(describeCsv(true, true)).toBe('Save the shown columns of the selected rows as CSV');
  expect(describeCsv(false, false)).toBe('Save the shown columns as CSV');
});

test('getTsv replaces tabs and line breaks by spaces, and escapes formulas as CSV does', () => {
  expect(
    getTsv(
      ['A', 'B'],
      [
        ['x\ty', 'a\r\nb'],
        ['=1', null],
      ],
    ),
  ).toBe("A\tB\nx y\ta b\n'=1\t");
});

test('getTableFields returns the columns in their order, each with its extra fields', () => {
  const columns = [
    {
      id: 'b',
      header: 'B',
      value: (row: { a: number; b: string }) => row.b,
      fields: [{ header: 'Length of B', value: (row: { b: string }) => row.b.length }],
    },
    { id: 'a', header: 'A', value: (row: { a: number; b: string }) => row.a },
  ];
  expect(getTableFields(columns, [{ a: 1, b: 'xy' }])).toEqual([
    ['B', 'Length of B', 'A'],
    [['xy', 2, 1]],
  ]);
});

test('makeIntervalFields names both ends after the column, so that headings of a table are unique', () => {
  const columns = ['Success rate, 95 % CI', 'ERT, 95 % CI'].map((header) => ({
    id: header,
    header,
    value: () => 2,
    fields: makeIntervalFields(header, () => ({ lower: 1, upper: Infinity })),
  }));
  expect(getTableFields(columns, [{}])).toEqual([
    [
      'Success rate, 95 % CI',
      'Success rate, 95 % CI lower',
      'Success rate, 95 % CI upper',
      'ERT, 95 % CI',
      'ERT, 95 % CI lower',
      'ERT, 95 % CI upper',
    ],
    [[2, 1, Infinity, 2, 1, Infinity]],
  ]);
});
