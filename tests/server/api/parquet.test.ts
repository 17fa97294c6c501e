import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '#shared/api.ts';
import { formatCsvValue } from '#shared/csv.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertIterations } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** More than two slices of a list. */
const runCount = 2_500;

describeOnEachDatabase('Tables as Parquet', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await insert(database(), 'experiments', { experiment_id: 'e1', run_name: '=many' });
    for (let start = 0; start < runCount; start += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => ({
        run_id: `r${start + index}`,
        seed: start + index === 0 ? '-9223372036854775807' : start + index,
        best_fitness: index % 7 === 0 ? null : (start + index) / 7,
        start_time: `2026-11-21T10:00:${String(index % 60).padStart(2, '0')}Z`,
      }));
      await insert(database(), 'runs', ...rows);
    }
    await insertIterations(database(), 'r0', 3);
    service = await startService(database(), { isInThisThread: true });
  });

  afterAll(() => service.close());

  async function parquet(path: string) {
    const response = await sendRawRequest(service, path, {});
    if (response.status !== 200) throw new Error(response.body.toString());
    const file = new Uint8Array(response.body).buffer;
    const types = parquetMetadata(file).schema.slice(1);
    return {
      headers: response.headers,
      rows: await parquetReadObjects({ file }),
      getType: (name: string) => types.find((one) => one.name === name)?.type,
      columns: types.map(({ name }) => name),
    };
  }

  async function csv(path: string): Promise<string[][]> {
    const { body } = await sendRawRequest(service, path, {});
    return parse(body.toString(), { record_delimiter: '\r\n' });
  }

  const analysisTables = Object.keys(endpoints.analyseExperiment.csv).map(
    (table) => `/api/experiments/e1/analysis?target=-1&table=${table}&`,
  );

  test.each([
    '/api/runs?sortBy=best_fitness&',
    '/api/runs?q=nothing+has+this&',
    '/api/experiments?',
    '/api/runs/r0/iterations?fields=scalars&',
    '/api/experiments/e1/traces?',
    ...analysisTables,
  ])('contain the values of the CSV: %s', async (path) => {
    const [headings = [], ...lines] = await csv(`${path}format=csv`);
    const { rows, columns } = await parquet(`${path}format=parquet`);
    expect(columns).toEqual(headings);
    const texts = rows.map((row) =>
      columns.map((name) => {
        const value = row[name] as string | number | bigint | boolean | null;
        return formatCsvValue(typeof value === 'bigint' ? String(value) : value);
      }),
    );
    expect(texts).toEqual(lines);
  });

  test('have types: exact integers of 64 bits, doubles, missing and infinite values', async () => {
    const { rows, getType, headers } = await parquet('/api/runs?q=r0&format=parquet');
    expect(headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(headers['content-disposition']).toBe('attachment; filename="runs.parquet"');
    expect(['seed', 'bestFitness', 'runId'].map(getType)).toEqual([
      'INT64',
      'DOUBLE',
      'BYTE_ARRAY',
    ]);
    expect(rows.find(({ runId }) => runId === 'r0')).toMatchObject({
      seed: -9_223_372_036_854_775_807n,
      bestFitness: null,
      runName: '=many',
    });
    const [groups] = await Promise.all(
      analysisTables.map(async (path) =>
        (await parquet(`${path}format=parquet`)).rows.flatMap(Object.values),
      ),
    );
    expect(groups).toContain(Infinity);
  });

  test('are refused in a format that does not exist', async () => {
    const { status, body } = await sendRawRequest(service, '/api/runs?format=arrow', {});
    expect(status).toBe(400);
    expect(body.toString()).toContain('format must be one of json, csv, parquet');
  });
});
