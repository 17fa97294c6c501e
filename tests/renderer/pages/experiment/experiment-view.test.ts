import { expect, test } from 'vitest';
import { parseExperimentView, toRunsQuery } from '#renderer/pages/experiment/experiment-view.ts';

test('an empty address shows the 50 newest runs and the YAML', () => {
  const view = parseExperimentView({});
  expect(view).toMatchObject({ configFormat: 'yaml', paramSearch: '' });
  expect(toRunsQuery(view.runs)).toEqual({
    page: 0,
    size: 50,
    sortBy: 'start_time',
    sortDir: 'desc',
  });
});

test('sort, page, size, format and search are read from the address', () => {
  const view = parseExperimentView({
    sort: 'seed',
    page: '2',
    size: '10',
    format: 'json',
    find: 'population',
  });
  expect(toRunsQuery(view.runs)).toEqual({ page: 1, size: 10, sortBy: 'seed', sortDir: 'asc' });
  expect(view).toMatchObject({ configFormat: 'json', paramSearch: 'population' });
});

test('a column that the service does not sort by is ignored', () => {
  expect(parseExperimentView({ sort: 'evaluations' }).runs).toEqual(parseExperimentView({}).runs);
});
