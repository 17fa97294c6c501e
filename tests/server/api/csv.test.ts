import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertIterations } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** More than two slices of a list. */
const runCount = 5_000;

const nasty = {
  '=cmd': "=cmd|' /C calc'!A0",
  '+': '+1+1',
  '-': '-2+3',
  '@': '@SUM(A1)',
  tab: '\t=1',
  quotes: 'a "quoted", text',
  lines: 'two\r\nlines',
};

describeOnEachDatabase('Lists as CSV', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await insert(database(), 'experiments', { experiment_id: 'e1', run_name: 'many' });
    for (let start = 0; start < runCount; start += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => ({
        run_id: `r${String(start + index).padStart(5, '0')}`,
        seed: start + index,
        best_fitness: (start + index) % 7,
        start_time: `2026-11-21T10:00:${String(index % 60).padStart(2, '0')}Z`,
      }));
      await insert(database(), 'runs', ...rows);
    }
    let number = 0;
    for (const [id, text] of Object.entries(nasty)) {
      await insert(database(), 'experiments', {
        experiment_id: id,
        config_hash: id,
        run_name: text,
      });
      await insert(database(), 'runs', {
        run_id: `nasty${(number += 1)}`,
        experiment_id: id,
        seed: '-9223372036854775808',
        start_time: '2026-11-22T10:00:00.5Z',
      });
    }
    await insertIterations(database(), 'r00000', 3);
    service = await startService(database(), { isInThisThread: true });
  });

  afterAll(() => service.close());

  async function csv(path: string, headers: Record<string, string> = { accept: 'text/csv' }) {
    const answer = await sendRawRequest(service, path, { headers });
    const text = answer.body.toString();
    if (answer.status !== 200) throw new Error(text);
    const records: Record<string, string>[] = parse(text, {
      columns: true,
      record_delimiter: '\r\n',
    });
    return { ...answer, text, records };
  }

  test('are whole, with the filters and the order of the JSON', async () => {
    for (const query of ['sortBy=best_fitness&sortDir=asc', 'minBest=3', 'q=many']) {
      const { records } = await csv(`/api/runs?${query}&size=10&page=3`);
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(runCount / 200) + 1 }, (_, page) =>
          service.get<ResponseBody<'listRuns'>>(`/api/runs?${query}&size=200&page=${page}`),
        ),
      );
      const ids = pages.flatMap(({ items }) => items.map(({ runId }) => runId));
      expect(records.map(({ runId }) => runId)).toEqual(ids);
      expect(ids.length).toBeGreaterThan(2_500);
    }
  });

  test('have the columns of the JSON, nested ones by their path, and raw values', async () => {
    const { records, headers } = await csv('/api/runs?q=nasty1&format=csv', {});
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(headers['content-disposition']).toBe('attachment; filename="runs.csv"');
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      runId: 'nasty1',
      seed: '-9223372036854775808',
      startTime: '2026-11-22T10:00:00.5Z',
      bestFitness: '',
      'progress.silent': '',
      'stopRequest.reason': '',
    });
  });

  test('are safe to open in a spreadsheet, and a reader returns the same values', async () => {
    const { records, text } = await csv('/api/runs?q=nasty&sortBy=run_name&sortDir=asc');
    const names = new Set(records.map(({ runName = '' }) => runName.replace(/^'/, '')));
    expect(names).toEqual(new Set(Object.values(nasty)));
    for (const { runName = '' } of records) expect(runName).not.toMatch(/^[=+\-@\t\r]/);
    expect(text).not.toMatch(/,[=+@\t]/);
  });

  test('have the parameters of the query as columns', async () => {
    await insert(database(), 'experiment_params', {
      experiment_id: '=cmd',
      param_path: 'a.b',
      value_text: '=1+1',
    });
    const { records } = await csv('/api/runs?q=nasty1&params=a.b,c');
    expect(records[0]).toMatchObject({ 'params.a.b': "'=1+1", 'params.c': '' });
  });

  test('contain the list of a run in order, without JSON if it is not requested', async () => {
    const { records } = await csv('/api/runs/r00000/iterations?fields=scalars');
    expect(records.map(({ iteration }) => iteration)).toEqual(['0', '1', '2']);
    expect(Object.keys(records[0]!)).not.toContain('metricsJson');
  });

  test('have only headings if nothing matches', async () => {
    const { text } = await csv('/api/runs?q=nobody');
    expect(text).toMatch(/^runId,experimentId,[^\r\n]*\r\n$/);
  });

  test('fail with the errors of the JSON', async () => {
    const missing = await sendRawRequest(service, '/api/runs/none/events', {
      headers: { accept: 'text/csv' },
    });
    expect(missing.status).toBe(404);
    expect(missing.headers['content-type']).toContain('application/problem+json');
    const format = await service.getProblem('/api/runs?format=xml');
    expect(format.errors).toEqual([
      { path: 'format', message: 'must be one of json, csv, parquet' },
    ]);
    const table = await service.getProblem('/api/experiments/e1/analysis?format=csv&table=nothing');
    expect(table.errors?.[0]?.message).toMatch(/^must be one of summary, convergence, /);
  });

  describe('respond', () => {
    test.each([
      ['application/json', 'json'],
      ['*/*', 'json'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
      ['text/*', 'json'],
      ['image/png', 'json'],
      ['text/csv', 'csv'],
      ['text/csv, */*', 'csv'],
      ['text/csv;q=0.5, application/json', 'json'],
      ['application/json;q=0.5, text/csv', 'csv'],
      ['text/csv;q=0', 'json'],
    ])('to Accept %s with %s', async (accept, type) => {
      const { headers } = await sendRawRequest(service, '/api/runs?size=1&q=nasty1', {
        headers: { accept },
      });
      expect(headers['content-type']).toContain(type);
      expect(headers['vary']).toContain('Accept');
    });

    test('by the parameter format rather than by Accept', async () => {
      const { headers } = await sendRawRequest(service, '/api/runs?q=nasty1&format=json', {
        headers: { accept: 'text/csv' },
      });
      expect(headers['content-type']).toContain('json');
    });

    test('with a separate entity tag, and with 304 to clients that have it', async () => {
      const path = '/api/runs?q=nasty1';
      const json = await sendRawRequest(service, path);
      const { headers } = await csv(path);
      expect(headers['etag']).toMatch(/^W\//);
      expect(headers['etag']).not.toBe(json.headers['etag']);
      const again = await sendRawRequest(service, path, {
        headers: { accept: 'text/csv', 'if-none-match': headers['etag']! },
      });
      expect(again.status).toBe(304);
    });
  });
});
