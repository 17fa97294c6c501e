import { describe, expect, test } from 'vitest';
import {
  compareCells,
  equalColumns,
  formatColumns,
  formatSort,
  moveColumn,
  nextSort,
  parseColumns,
  parseSort,
  shownColumns,
} from '#renderer/components/table/columns.ts';
import type { TableColumn } from '#renderer/components/table/types.ts';

interface Item {
  a: number | null;
  b: string;
}
const columns: TableColumn<Item>[] = [
  { id: 'a', header: 'A', value: (item) => item.a, fixed: true },
  { id: 'b', header: 'B', value: (item) => item.b },
  { id: 'c', header: 'C', value: () => null, hiddenAtFirst: true },
];

describe('sort in the URL', () => {
  test('survives the way there and back', () => {
    for (const text of ['best', '-best']) {
      expect(formatSort(parseSort(text, ['best'])!)).toBe(text);
    }
  });

  test('of an unknown column is no sort', () => {
    expect(parseSort('-nothing', ['best'])).toBeNull();
    expect(parseSort('', ['best'])).toBeNull();
  });

  test('turns round on the second click and begins anew on another column', () => {
    const first = nextSort(null, 'best', 'desc');
    expect(first).toEqual({ column: 'best', direction: 'desc' });
    expect(nextSort(first, 'best', 'desc').direction).toBe('asc');
    expect(nextSort(first, 'name', 'asc')).toEqual({ column: 'name', direction: 'asc' });
  });
});

describe('columns in the URL', () => {
  test('survive the way there and back, each once', () => {
    expect(parseColumns('b,a,b')).toEqual(['b', 'a']);
    expect(formatColumns(['b', 'a'])).toBe('b,a');
    expect(parseColumns('')).toBeNull();
    expect(formatColumns(null)).toBeNull();
  });

  test('unknown ones are passed over and fixed ones always shown', () => {
    expect(shownColumns(columns, ['c', 'gone'])).toEqual(['a', 'c']);
    expect(shownColumns(columns, ['b', 'a'])).toEqual(['b', 'a']);
  });

  test('without a choice are those not hidden at first', () => {
    expect(shownColumns(columns, null)).toEqual(['a', 'b']);
  });

  test('move one step and stop at the ends', () => {
    expect(moveColumn(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
    expect(moveColumn(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
    expect(moveColumn(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
    expect(moveColumn(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
  });
});

describe('equalColumns', () => {
  test('names columns whose values are all equal, missing ones included, but no fixed one', () => {
    const rows = [
      { a: 1, b: 'x' },
      { a: 1, b: 'x' },
    ];
    expect(equalColumns(columns, rows)).toEqual(['b', 'c']);
    expect(equalColumns(columns, [...rows, { a: 1, b: 'y' }])).toEqual(['c']);
  });

  test('names none for a single row, which has nothing to differ from', () => {
    expect(equalColumns(columns, [{ a: 1, b: 'x' }])).toEqual([]);
  });
});

describe('compareCells', () => {
  test('orders numbers by size, integers beyond 2^53 exactly', () => {
    const sorted = ['9007199254740993', 2, '9007199254740992', -1.5].sort(compareCells);
    expect(sorted).toEqual([-1.5, 2, '9007199254740992', '9007199254740993']);
  });

  test('orders text with the numbers in it counted, case ignored', () => {
    expect(['run-10', 'Run-2', 'alpha'].sort(compareCells)).toEqual(['alpha', 'Run-2', 'run-10']);
  });

  test('puts numbers before text', () => {
    expect(['a', 3].sort(compareCells)).toEqual([3, 'a']);
  });
});
