import { expect, test } from 'vitest';
import { formatColumns, parseColumns } from '#renderer/ui/table/columns.ts';
import {
  canBeColumn,
  getParamColumnId,
  getParams,
} from '#renderer/features/explorer/param-columns.ts';

test.each(['populationSize', 'learning rate', 'model.alpha', 'rates, all'])(
  'a parameter can be a column if the URL keeps its path: %s',
  (path) => {
    const ids = parseColumns(formatColumns(['run', getParamColumnId(path)])) ?? [];
    expect(getParams(ids, 20).includes(path)).toBe(canBeColumn(path));
  },
);
