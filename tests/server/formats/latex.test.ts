import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { hasLatex } from '#build/gate/latex.ts';
import { writeLatex } from '#server/formats/latex.ts';
import { escapeLatex, formatLatexNumber, splitAtBreaks } from '#shared/latex-text.ts';
import type { Table } from '#server/formats/table.ts';
import { compileLatex } from '#tests/support/latex.ts';

/** Arbitrary code points, also unpaired surrogates; special characters of LaTeX are frequent. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Array.from('\\{}$&#%_~^<>|"`-[ \n∞χé')),
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((characters) => characters.join(''));

const hostileText = 'a_b%c&d#e$f{g}h~i^j\\k<l>m|n"o`p\n%';
const longId = '0123456789abcdef'.repeat(4);

const table: Table = {
  name: 'groups',
  owner: 'onemax',
  caption: `Comparison of 100 % of ${hostileText}`,
  columns: [
    { key: 'name', header: 'Name_1', format: 'text' },
    { key: 'ert', header: 'ERT', format: 'count' },
    { key: 'p', header: 'p (Holm)', format: 'pValue' },
  ],
  rows: [
    { cells: { name: '[1/3] umda', ert: 123456, p: 3.1e-12 }, boldColumns: ['name', 'p'] },
    { cells: { name: longId, ert: Infinity, p: null } },
  ],
  notes: ['Seeds ≥ 3, naïve Ångström 中.'],
};

describe('escapeLatex', () => {
  test('escapes every special character exactly once', () => {
    expect(escapeLatex(hostileText).replaceAll('\\allowbreak{}', '')).toBe(
      'a\\_b\\%c\\&d\\#e\\$f\\{g\\}h\\textasciitilde{}i\\textasciicircum{}j\\textbackslash{}' +
        'k\\textless{}l\\textgreater{}m\\textbar{}n{\\char34}o{\\char96}p \\%',
    );
    expect(escapeLatex('\\_{}')).toBe('\\textbackslash{}\\_\\{\\}');
  });

  test('separates hyphens, apostrophes and commas, so that they do not become a dash or a quote', () => {
    expect(escapeLatex('a--b')).toBe('a-{}-b');
    expect(escapeLatex('---')).toBe('-{}-{}-');
    expect(escapeLatex('10–20 — -–')).toBe('10--20 --- -{}--');
    expect(escapeLatex("f''(x,,y)")).toBe("f'{}'(x,{},y)");
  });

  test('replaces line breaks and control characters by spaces', () => {
    expect(escapeLatex('a\r\n\tb\u0000c\u2028d')).toBe('a b c d');
  });

  test('writes accents as commands and unknown characters as their code points', () => {
    expect(escapeLatex('naïve Ångström ß')).toBe('na\\"{i}ve \\r{A}ngstr\\"{o}m {\\ss}');
    expect(escapeLatex('中😀')).toBe('[U+4E2D][U+1F600]');
    expect(escapeLatex('∞ χ² †')).toBe('$\\infty$ $\\chi$$^2$ {\\textdagger}');
  });

  test('writes printed powers of ten as formulas, and does not change other digits', () => {
    expect(escapeLatex('p = 1.08e−4; ab12e-4')).toBe('p = $1.08\\times10^{-4}$; ab12e-4');
  });

  test('allows line breaks in long words', () => {
    expect(escapeLatex(longId)).toContain('01234567\\allowbreak{}89abcdef');
    expect(escapeLatex('short-name')).toBe('short-name');
  });

  test('returns balanced ASCII without line breaks or unescaped special characters for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escapedText = escapeLatex(text);
        expect(escapedText).toMatch(/^[\x20-\x7e]*$/);
        const plainText = escapedText.replaceAll(/\\[^a-zA-Z]|\$[^$]*\$/g, '');
        expect(plainText).not.toMatch(/[%&#$_^]/);
        expect(plainText.split('{')).toHaveLength(plainText.split('}').length);
      }),
    );
  });
});

describe('splitAtBreaks', () => {
  const word = 'x'.repeat(24);
  it.each([
    ['', ['']],
    [`${word} y`, [`${word} `, 'y']],
    [`${word}x`, ['xxxxxxxx', 'xxxxxxxx', 'xxxxxxxx', 'x']],
    ['ab-cd ef-', ['ab-', 'cd ', 'ef-']],
    ['a\n\nb', ['a ', 'b']],
    ['p=1.2e−9 of', ['p=1.2e−9 ', 'of']],
  ])('breaks %j where LaTeX may', (text, parts) => {
    expect(splitAtBreaks(text)).toEqual(parts);
  });
});

test('formatLatexNumber returns numbers in math mode, with powers of ten', () => {
  expect(formatLatexNumber('3.1e−12')).toBe('$3.1\\times10^{-12}$');
  expect(formatLatexNumber('1e−40')).toBe('$10^{-40}$');
  expect(formatLatexNumber('−1e9')).toBe('$-10^{9}$');
  expect(formatLatexNumber('1e+21')).toBe('$10^{21}$');
  expect(formatLatexNumber('11e9')).toBe('$11\\times10^{9}$');
  expect(formatLatexNumber('480\u2009000')).toBe('$480\\,000$');
  expect(formatLatexNumber('86.7\u2009%')).toBe('$86.7\\,\\%$');
  expect(formatLatexNumber('< 1e−300')).toBe('$< 10^{-300}$');
  expect(formatLatexNumber('−∞')).toBe('$-\\infty$');
  expect(formatLatexNumber('–')).toBe('--');
});

describe('writeLatex', () => {
  test('writes a table with rules, caption, label, one line per row and notes', () => {
    expect(writeLatex([table]).split('\n')).toEqual([
      '\\begin{table}[htbp]',
      '\\centering',
      '\\small',
      '\\setlength{\\tabcolsep}{3pt}',
      `\\caption{Comparison of 100 \\% of ${escapeLatex(hostileText)}}`,
      '\\smallskip',
      '\\label{tab:groups-onemax}',
      '\\begin{tabular}{p{0.72\\linewidth}rr}',
      '\\toprule',
      'Name\\_1 & ERT & p (Holm) \\\\',
      '\\midrule',
      '\\textbf{[1/3] umda} & $123\\,456$ & {\\boldmath$3.1\\times10^{-12}$} \\\\',
      `${escapeLatex(longId)} & $\\infty$ & -- \\\\`,
      '\\bottomrule',
      '\\end{tabular}',
      '\\par\\smallskip\\footnotesize Seeds $\\geq$ 3, na\\"{i}ve \\r{A}ngstr\\"{o}m [U+4E2D].',
      '\\end{table}',
      '',
    ]);
  });

  const longTable: Table = { ...table, rows: Array.from({ length: 26 }, () => table.rows[0]!) };

  test('breaks a table of more than 25 rows across pages, with its head on each page', () => {
    const text = writeLatex([longTable]);
    expect(text.split('\n').slice(0, 13)).toEqual([
      '% needs \\usepackage{longtable}',
      '\\begingroup',
      '\\footnotesize',
      '\\setlength{\\tabcolsep}{2pt}',
      '\\setlength{\\LTcapwidth}{\\linewidth}',
      '\\begin{longtable}{lrr}',
      `\\caption{Comparison of 100 \\% of ${escapeLatex(hostileText)}}`,
      '\\label{tab:groups-onemax} \\\\',
      '\\toprule',
      'Name\\_1 & ERT & p (Holm) \\\\',
      '\\midrule',
      '\\endfirsthead',
      '\\toprule',
    ]);
    expect(text.match(/umda/g)).toHaveLength(26);
    expect(writeLatex([{ ...longTable, rows: longTable.rows.slice(1) }])).not.toContain(
      'longtable',
    );
  });

  test('breaks a table with long notes across pages, which would otherwise leave the page', () => {
    const notes = ['Budgets differ. '.repeat(220)];
    expect(writeLatex([{ ...table, notes }])).toContain('\\begin{longtable}');
    expect(writeLatex([{ ...table, notes: ['Budgets differ.'] }])).not.toContain('longtable');
  });

  test('protects a bracket at the start of a row, which would be an option of the line break', () => {
    const rows = [{ cells: { name: '[1/3]' } }, { cells: { name: '*' } }];
    const lines = writeLatex([{ ...table, rows }]).split('\n');
    expect(lines).toContain('{}[1/3] & -- & -- \\\\');
    expect(lines).toContain('{}* & -- & -- \\\\');
  });

  test('writes several tables one after the other, and nothing for no tables', () => {
    expect(writeLatex([table, table]).match(/\\begin\{table\}/g)).toHaveLength(2);
    expect(writeLatex([])).toBe('');
  });

  /** Names of 40 characters: `pairs` has three columns of them and three of numbers, `widest` has twenty of numbers. */
  const name = 'a long name with-parameters of 40 letters';
  const numbers = Array.from({ length: 20 }, (_, index) => `number${index}`);
  const pairs: Table = {
    ...table,
    columns: [
      ...['a', 'b', 'better'].map((key) => ({ key, header: key, format: 'text' as const })),
      ...numbers.slice(0, 3).map((key) => ({ key, header: 'p (adj.)', format: 'pValue' as const })),
    ],
    rows: [{ cells: { a: name, b: name, better: name, number0: 3.14e-12, number1: 0.0123 } }],
  };
  const widestTable: Table = {
    ...table,
    columns: numbers.map((key) => ({ key, header: key, format: 'runtime' })),
    rows: [{ cells: Object.fromEntries(numbers.map((key) => [key, 1_234_567])) }],
  };

  test('wraps text to the width that the columns of numbers leave', () => {
    const text = writeLatex([pairs]);
    const shares = [...text.matchAll(/p\{([\d.]+)\\linewidth\}/g)].map(([, share]) =>
      Number(share),
    );
    expect(shares).toHaveLength(3);
    expect(Math.max(...shares)).toBeLessThan(0.2);
  });

  test('scales a table whose columns of numbers are wider than a line', () => {
    const text = writeLatex([widestTable]);
    expect(text).toContain('% needs \\usepackage{graphicx}');
    expect(text).toContain('\\resizebox{\\linewidth}{!}{%');
    expect(writeLatex([pairs])).not.toContain('graphicx');
  });

  /** Columns as in tables of pairs, with names of one long word. */
  const words: Table = {
    ...pairs,
    columns: [
      ...pairs.columns.filter(({ key }) => key !== 'number2'),
      { key: 'interval', header: 'A12', format: 'text' },
      { key: 'n', header: 'n of A', format: 'count' },
    ],
    rows: ['DifferentialEvolution', 'GeneticAlgorithm', '遗传算法', 'CMA-ES-with-restarts'].map(
      (word) => ({
        cells: { a: word, b: 'RealCodeGA', better: word, interval: '0.6867 [0.4625, 0.8481]' },
      }),
    ),
  };

  test('makes wrapped columns as wide as their longest words', () => {
    const shares = [...writeLatex([words]).matchAll(/p\{([\d.]+)\\linewidth\}/g)].map(([, share]) =>
      Number(share),
    );
    expect(shares).toHaveLength(4);
    const [widthOfEvolution = 0] = shares;
    expect(widthOfEvolution * 345).toBeGreaterThan('DifferentialEvolution'.length * 4.9);
  });

  test.skipIf(!hasLatex())(
    'prints no word over the next column',
    () => {
      const longWords = { ...words, rows: Array.from({ length: 8 }, () => words.rows).flat() };
      const { isSuccessful, log } = compileLatex(writeLatex([words, longWords]));
      expect(isSuccessful, log.slice(-2_000)).toBe(true);
      expect(log.match(/Overfull \\hbox .*/g)).toBeNull();
    },
    60_000,
  );

  test.skipIf(!hasLatex())(
    'writes no table that is wider than a line',
    () => {
      const { isSuccessful, log } = compileLatex(writeLatex([table, pairs, widestTable]));
      expect(isSuccessful, log.slice(-2_000)).toBe(true);
      expect(log.match(/Overfull \\hbox \(\d+\.\d+pt too wide\) in alignment/g)).toBeNull();
    },
    60_000,
  );

  test.skipIf(!hasLatex())(
    'writes tables that compile with booktabs and longtable',
    () => {
      const { isSuccessful, log } = compileLatex(writeLatex([table, longTable]));
      expect(isSuccessful, log.slice(-2_000)).toBe(true);
    },
    60_000,
  );
});
