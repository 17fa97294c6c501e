import { expect, test } from 'vitest';
import { formatColumns, parseColumns } from '#renderer/ui/table/columns.ts';
import {
  getParamColumnId,
  getParams,
  makeParamsQuery,
} from '#renderer/features/explorer/param-columns.ts';
import { paramColumns } from '#shared/schemas/param-query.ts';

const paths = ['populationSize', 'learning rate', 'a.b,c', ',', 'rates, 5%', 'a%2Cb', '50%'];

test.each([...paths.map((path) => [path]), paths])(
  'columns of parameters keep their paths in the URL and in the request: %s',
  (...chosenPaths) => {
    const ids = parseColumns(formatColumns(['run', ...chosenPaths.map(getParamColumnId)])) ?? [];
    expect(getParams(ids, 20)).toEqual(chosenPaths);
    expect(paramColumns.parse([...makeParamsQuery(chosenPaths)])).toEqual(chosenPaths);
  },
);

test('links with the path of a parameter as it is show its column', () => {
  expect(getParams(['run', 'p.learning rate', 'p.a%2Cb', 'p.', 'q.x'], 20)).toEqual([
    'learning rate',
    'a%2Cb',
  ]);
});
