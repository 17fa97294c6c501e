import { describe, expect, test } from 'vitest';
import { runsQuery } from '#shared/schemas/run.ts';
import {
  clearedFilters,
  hasFilters,
  initialSort,
  parseView,
  toQuery,
} from '#renderer/pages/runs/filters.ts';

const full = {
  q: 'onemax',
  algorithm: 'umda',
  model: 'm',
  problem: 'p',
  status: 'FAILED',
  from: '2026-11-21T09:55Z',
  to: '2026-11-22',
  minBest: '-1e3',
  maxBest: '0.5',
  trials: 'only',
  page: '3',
  size: '50',
  sort: 'best',
};

describe('parseView', () => {
  test('of an empty URL shows the newest 25 runs without trials', () => {
    expect(parseView({})).toMatchObject({
      page: 1,
      size: 25,
      trials: 'exclude',
      sort: initialSort,
    });
    expect(hasFilters(parseView({}))).toBe(false);
  });

  test('reads every name', () => {
    expect(parseView(full)).toEqual({
      ...full,
      page: 3,
      size: 50,
      sort: { column: 'best', direction: 'asc' },
    });
    expect(hasFilters(parseView({ maxBest: '0' }))).toBe(true);
  });

  test('treats what makes no sense as absent, so that an edited URL never fails', () => {
    const view = parseView({
      minBest: 'abc',
      maxBest: 'Infinity',
      from: 'yesterday',
      page: '-1',
      size: '7',
      sort: '-name',
      trials: 'maybe',
      q: ['a', 'b'],
    });
    expect(view).toEqual(parseView({}));
  });
});

describe('toQuery', () => {
  test('names what the service expects, pages from 0', () => {
    expect(toQuery(parseView(full), ['a.b', 'c'])).toMatchObject({
      q: 'onemax',
      page: 2,
      size: 50,
      sortBy: 'best_fitness',
      sortDir: 'asc',
      trials: 'only',
      params: 'a.b,c',
    });
  });

  test('is accepted by the contract for every view', () => {
    for (const view of [parseView({}), parseView(full)]) {
      const sent = Object.entries(toQuery(view, []) ?? {}).map(([name, value]) => [
        name,
        String(value),
      ]);
      expect(runsQuery.safeParse(Object.fromEntries(sent)).error).toBeUndefined();
    }
  });
});

test('clearing drops every filter and the page, but neither trials nor sort', () => {
  const view = parseView({ ...full, ...clearedFilters() });
  expect(hasFilters(view)).toBe(false);
  expect(view).toMatchObject({ page: 1, trials: 'only', size: 50 });
});
