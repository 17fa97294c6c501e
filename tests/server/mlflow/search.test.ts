import { describe, expect, test } from 'vitest';
import { findPage } from '#server/mlflow/search.ts';

const searchFields = {
  attributes: { run_name: 'first', start_time: 5, end_time: 9 },
  params: { popsize: '100', rate: '1e-05' },
  tags: { kind: 'a' },
  metrics: { best: 1 },
};

async function count(filter: string): Promise<number> {
  const request = { filter, orderBy: [], size: 10, page: 0 };
  const attributeNames = Object.keys(searchFields.attributes);
  return (await findPage([[{ searchFields }]], request, attributeNames)).items.length;
}

describe('Searches of MLflow', () => {
  test('compare a param with an unquoted number as it is written', async () => {
    expect(await count('params.rate = 1e-05 AND params.popsize = 100')).toBe(1);
  });

  test('compare a number with a quoted number', async () => {
    expect(await count('start_time > "0" AND metrics.best < "2"')).toBe(1);
  });

  // As texts, "100" is before "20".
  test.each(['params.popsize >= 20', "tags.kind < 'b'", "run_name > 'a'"])(
    'refuse the order of texts: %s',
    async (filter) => {
      await expect(count(filter)).rejects.toThrow(
        `filter has the invalid comparison "${filter}": its value is a text. Use =, !=, LIKE, ILIKE, IN or NOT IN`,
      );
    },
  );

  test.each(["metrics.best != 'low'", "start_time > '2026-01-01'", "end_time = ''"])(
    'refuse a number that is compared with a text: %s',
    async (filter) => {
      await expect(count(filter)).rejects.toThrow(
        `filter has the invalid comparison "${filter}": its value is numeric. Compare it with a number`,
      );
    },
  );
});
