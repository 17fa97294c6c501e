import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { readSqliteTraces } from '#server/db/dialects/sqlite.ts';

test('each chunk of a long run is read from the end of the previous chunk, without counting from the start', () => {
  const statements: string[] = [];
  const handle = new SqliteDatabase(':memory:', {
    verbose: (statement) => statements.push(String(statement)),
  });
  handle.exec(`create table iterations (run_id text, iteration integer, evaluations integer, best_fitness real);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 65000)
    insert into iterations select 'long', i, i, 0 from n`);
  statements.length = 0;
  readSqliteTraces(handle, [{ runId: 'long' }], () => {});
  handle.close();
  const pages = statements.filter((statement) => statement.includes('best_fitness'));
  const pageStarts = pages.map((page) => Number(/iteration > (-?[\d.]+)/.exec(page)?.[1]));
  expect(pageStarts.slice(1)).toEqual([20_000, 40_000, 60_000]);
  const skippedRowCounts = statements.map((statement) =>
    Number(/offset (\d+)/.exec(statement)?.[1] ?? 0),
  );
  expect(Math.max(...skippedRowCounts)).toBeLessThan(20_000);
});
