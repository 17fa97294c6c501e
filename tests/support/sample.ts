import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { tableNames } from '#server/db/tables.ts';
import { writeSampleFile } from './sample-file.ts';

type Row = Record<string, unknown>;

/**
 * Fills an empty database with all rows of the fixture, their ids included: 67 experiments, 159 runs of
 * every representation family, status and kind, iterations and events of some of them, one COCO campaign.
 */
export async function loadSample(database: Database): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-sample-'));
  try {
    const file = join(folder, 'sample.db');
    writeSampleFile(file);
    await copyRows(file, database);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyRows(file: string, database: Database): Promise<void> {
  const source = new SqliteDatabase(file, { readonly: true });
  await database.dialect.withWriteTransaction(async (transaction) => {
    for (const table of tableNames) {
      const rows = source.prepare<[], Row>(`select * from ${table}`).safeIntegers().all();
      const renamed = rows.map(({ edaf_ert: ert, ...row }) =>
        ert === undefined ? row : { ...row, [database.ertColumn]: ert },
      );
      for (const batch of batches(renamed, database.dialect.maximumParameters)) {
        await transaction.insertInto(table).values(batch).execute();
      }
    }
    if (database.dialect.name === 'postgres') {
      for (const table of tableNames) await moveSequence(transaction, table, source);
    }
  });
  source.close();
}

function batches(rows: Row[], maximumParameters: number): Row[][] {
  const size = Math.floor(maximumParameters / Object.keys(rows[0] ?? { none: 0 }).length);
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

/** Lets the next id follow those that were inserted with their own. */
async function moveSequence(
  transaction: Parameters<Parameters<Database['dialect']['withWriteTransaction']>[0]>[0],
  table: string,
  source: SqliteDatabase.Database,
): Promise<void> {
  const columns = source.prepare<[string], { name: string }>(
    'select name from pragma_table_info(?)',
  );
  if (!columns.all(table).some(({ name }) => name === 'id')) return;
  await sql`select setval(pg_get_serial_sequence(${table}, 'id'),
    (select coalesce(max(id), 0) + 1 from ${sql.table(table)}), false)`.execute(transaction);
}
