import { describe, expect, test } from 'vitest';
import {
  addColumn,
  addHiddenColumns,
  findLongest,
  getAlignment,
  compareCells,
  makeDataColumnId,
  getConstantColumnIds,
  formatColumns,
  formatSort,
  getLongestDecimals,
  getMeasuredRows,
  moveColumn,
  getNextSort,
  getPadding,
  parseColumns,
  parseSort,
  makeShownColumns,
  makeSortableColumns,
  sortRows,
} from '#renderer/ui/table/columns.ts';
import type { TableColumn } from '#renderer/ui/table/types.ts';

interface Item {
  a: number | null;
  b: string;
}
const columns: TableColumn<Item>[] = [
  { id: 'a', header: 'A', value: (item) => item.a, fixed: true },
  { id: 'b', header: 'B', value: (item) => item.b },
  { id: 'c', header: 'C', value: () => null, isHiddenByDefault: true },
];

describe('findLongest', () => {
  test('returns the index of the first of the longest texts, and 0 without texts', () => {
    expect(findLongest(['a', 'bcd', '', 'efg'])).toBe(1);
    expect(findLongest([])).toBe(0);
  });
});

describe('sort in the URL', () => {
  test('is the same after formatting and parsing', () => {
    for (const text of ['best', '-best']) {
      expect(formatSort(parseSort(text, ['best'])!)).toBe(text);
    }
  });

  test('is null for an unknown column', () => {
    expect(parseSort('-nothing', ['best'])).toBeNull();
    expect(parseSort('', ['best'])).toBeNull();
  });

  test('reverses on the second click and starts again on another column', () => {
    const best = { id: 'best', header: 'Best', align: 'end', value: () => 1 } as const;
    const name = { id: 'name', header: 'Name', value: () => 'x' };
    const first = getNextSort(null, best);
    expect(first).toEqual({ column: 'best', direction: 'desc' });
    expect(getNextSort(first, best).direction).toBe('asc');
    expect(getNextSort(first, name)).toEqual({ column: 'name', direction: 'asc' });
  });
});

describe('columns in the URL', () => {
  test('are the same after formatting and parsing, each once', () => {
    expect(parseColumns('b,a,b')).toEqual(['b', 'a']);
    expect(formatColumns(['b', 'a'])).toBe('b,a');
    expect(parseColumns('')).toBeNull();
    expect(parseColumns('default')).toBeNull();
    expect(formatColumns(null)).toBeNull();
  });

  test('ignore unknown ids and always include fixed columns', () => {
    expect(makeShownColumns(columns, ['c', 'gone'])).toEqual(['a', 'c']);
    expect(makeShownColumns(columns, ['b', 'a'])).toEqual(['b', 'a']);
  });

  test('are the default ones without a choice', () => {
    expect(makeShownColumns(columns, null)).toEqual(['a', 'b']);
  });

  test('are hidden by default where the window is too narrow, and shown when chosen', () => {
    const wide = [...columns, { id: 'd', header: 'D', value: () => 1, fromPixels: 1200 }];
    expect(makeShownColumns(wide, null, 1199)).toEqual(['a', 'b']);
    expect(makeShownColumns(wide, null, 1200)).toEqual(['a', 'b', 'd']);
    expect(makeShownColumns(wide, ['d'], 800)).toEqual(['a', 'd']);
  });

  test('show the columns of data that a choice for other data does not know, and hide the hidden ones', () => {
    const [function_, b, reference] = columns;
    const ofOptimizers = (...names: string[]): TableColumn<Item>[] => [
      function_!,
      ...names.map((name) => ({ ...b!, id: makeDataColumnId('ert', name), isOfData: true })),
      reference!,
    ];
    const two = ofOptimizers('es', 'de, 2');
    const stored = parseColumns(formatColumns(addHiddenColumns(two, ['a', 'ert-es'])));
    expect(makeShownColumns(two, stored)).toEqual(['a', 'ert-es']);
    const five = ofOptimizers('es', 'de, 2', 'ga', 'pso', 'cma');
    expect(makeShownColumns(five, stored)).toEqual(['a', 'ert-es', 'ert-ga', 'ert-pso', 'ert-cma']);
    expect(makeShownColumns(ofOptimizers('ga'), ['c', 'a', 'ert0'])).toEqual(['c', 'a', 'ert-ga']);
  });

  test('move one step and stop at the ends', () => {
    expect(moveColumn(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
    expect(moveColumn(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
    expect(moveColumn(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
    expect(moveColumn(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
  });
});

test('an added column follows the column before it in the catalogue', () => {
  const order = ['a', 'b', 'c', 'd'];
  expect(addColumn(['a', 'd'], 'c', order)).toEqual(['a', 'c', 'd']);
  expect(addColumn(['d', 'a', 'b'], 'c', order)).toEqual(['d', 'a', 'b', 'c']);
  expect(addColumn(['d'], 'a', order)).toEqual(['a', 'd']);
});

describe('sorting in the browser', () => {
  const value = columns[0]!;
  const items = [2, null, 1, Number.NaN, 2].map((a, index) => ({ a, b: String(index) }));
  const order = (direction: 'asc' | 'desc') => sortRows(items, value, direction).map(({ b }) => b);

  test('puts missing values and NaN last in both directions and is stable', () => {
    expect(order('asc')).toEqual(['2', '0', '4', '1', '3']);
    expect(order('desc')).toEqual(['0', '4', '2', '1', '3']);
  });

  test('is possible by every sortable column; in the service by those it has a name for', () => {
    const [named, other] = [
      { ...value, sortBy: 'a' },
      { ...value, sortable: false },
    ];
    expect(makeSortableColumns([named, value, other], false)).toEqual([named, value]);
    expect(makeSortableColumns([named, value, other], true)).toEqual([named]);
  });
});

test('a column with automatic alignment is right-aligned when all its values are numbers', () => {
  const auto: TableColumn<{ v: string | null }> = {
    id: 'v',
    header: 'V',
    align: 'auto',
    value: ({ v }) => v,
  };
  const align = (...values: (string | null)[]) =>
    getAlignment(
      auto,
      values.map((v) => ({ v })),
    );
  expect(align('10', '1e-3', null)).toBe('end');
  expect(align('10', 'auto')).toBe('start');
  expect(align(null)).toBe('start');
  expect(getAlignment({ ...auto, align: 'end' }, [])).toBe('end');
});

describe('getConstantColumnIds', () => {
  test('returns columns whose values are all equal, missing ones included, but no fixed one', () => {
    const rows = [
      { a: 1, b: 'x' },
      { a: 1, b: 'x' },
    ];
    expect(getConstantColumnIds(columns, rows)).toEqual(['b', 'c']);
    expect(getConstantColumnIds(columns, [...rows, { a: 1, b: 'y' }])).toEqual(['c']);
  });

  test('returns none for a single row', () => {
    expect(getConstantColumnIds(columns, [{ a: 1, b: 'x' }])).toEqual([]);
  });
});

describe('compareCells', () => {
  test('orders numbers by size, integers beyond 2^53 exactly', () => {
    const sorted = ['9007199254740993', 2, '9007199254740992', -1.5].sort(compareCells);
    expect(sorted).toEqual([-1.5, 2, '9007199254740992', '9007199254740993']);
  });

  test('orders numbers in texts, such as values of parameters, by size', () => {
    const texts = ['0.5', '1e-3', '-1', '-2', '0.25', '10', '9', '9007199254740993'];
    expect(texts.sort(compareCells)).toEqual([
      '-2',
      '-1',
      '1e-3',
      '0.25',
      '0.5',
      '9',
      '10',
      '9007199254740993',
    ]);
  });

  test('orders text with embedded numbers by value, case ignored', () => {
    expect(['run-10', 'Run-2', 'alpha'].sort(compareCells)).toEqual(['alpha', 'Run-2', 'run-10']);
    expect(['noise 0.5', 'Noise 0.25'].sort(compareCells)).toEqual(['Noise 0.25', 'noise 0.5']);
  });

  test('puts numbers before text', () => {
    expect(['a', 3].sort(compareCells)).toEqual([3, 'a']);
  });
});

test('at most 5,000 evenly spaced rows decide the widths of columns, with the first and the last', () => {
  const rows = Array.from({ length: 100_001 }, (_, index) => index);
  const measuredRows = getMeasuredRows(rows);
  expect(measuredRows).toHaveLength(5_000);
  expect([measuredRows[0], measuredRows[1], measuredRows.at(-1)]).toEqual([0, 20, 100_000]);
  expect(getMeasuredRows([3, 1])).toEqual([3, 1]);
});

test('numbers get the room of the decimals that others of their column have', () => {
  const texts = ['40', '38.25', '−1\u2009200.5', '1.2e−9', '∞', '–'];
  const longest = getLongestDecimals(texts);
  expect(longest).toBe('.25');
  expect(texts.map((text) => getPadding(text, longest))).toEqual(['.25', '', '5', '', '', '']);
  expect(getLongestDecimals(['1', '∞'])).toBe('');
  expect(getPadding('34.3066', '.000279545')).toBe('79545');
});
