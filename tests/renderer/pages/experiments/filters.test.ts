import { expect, test } from 'vitest';
import {
  chipsOf,
  clearedFilters,
  initialSort,
  parseView,
  toQuery,
} from '#renderer/pages/experiments/filters.ts';
import { experimentsQuery } from '#shared/schemas/experiment.ts';

const full = {
  q: 'onemax',
  algorithm: 'umda',
  model: 'm',
  problem: 'p',
  status: 'partial',
  from: '2026-11-21T09:55Z',
  to: '2026-11-22',
  trials: 'only',
  page: '3',
  size: '50',
  sort: '-created',
};

test('an empty URL shows the 25 experiments with the newest runs, without trials', () => {
  const view = parseView({});
  expect(view).toMatchObject({ page: 1, size: 25, trials: 'exclude', sort: initialSort });
  expect(toQuery(view)).toMatchObject({
    trials: 'exclude',
    page: 0,
    sortBy: 'latest_run_time',
    sortDir: 'desc',
  });
});

test('a URL that says all is understood, and the service takes the query', () => {
  const query = toQuery(parseView(full));
  expect(query).toMatchObject({ status: 'PARTIAL', page: 2, size: 50, sortBy: 'created_at' });
  const sent = Object.entries(query).map(([key, value]) => [key, String(value)]);
  expect(experimentsQuery.safeParse(Object.fromEntries(sent)).success).toBe(true);
});

test.each([
  ['latest', 'latest_run_time'],
  ['created', 'created_at'],
  ['runs', 'total_runs'],
  ['best', 'best_fitness'],
  ['algorithm', 'algorithm_type'],
  ['model', 'model_type'],
  ['problem', 'problem_type'],
])('the column %s is sorted by %s', (column, key) => {
  expect(toQuery(parseView({ sort: column }))).toMatchObject({ sortBy: key, sortDir: 'asc' });
});

test('what makes no sense is as if absent', () => {
  const wrong = { status: 'STOPPED', from: 'soon', size: '7', page: '-1', sort: 'status' };
  expect(parseView({ ...wrong, trials: 'some' })).toEqual(parseView({}));
});

test('each filter that is on has one chip, and clearing drops all of them with the page', () => {
  expect(chipsOf(parseView(full)).map(({ name }) => name)).toEqual([
    'q',
    'algorithm',
    'model',
    'problem',
    'status',
    'from',
    'to',
  ]);
  expect(chipsOf(parseView({ ...full, ...clearedFilters() }))).toEqual([]);
  expect(clearedFilters()).toHaveProperty('page');
});
