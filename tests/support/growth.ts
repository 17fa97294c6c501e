import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '#server/db/database.ts';
import { tableNames } from '#server/db/tables.ts';

/** A write of a logger: the path, the text, and whether it replaces the file. */
export type Write = [path: string, text: string, isNew?: 'new'];

/** Returns the writes of a real logger in order; `record.py` next to them recorded them. */
export function readGrowth(logger: 'ioh' | 'coco' | 'cma'): Write[] {
  const file = join(import.meta.dirname, `../fixtures/import/growth/${logger}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Write[];
}

/** Lengths of the parts into which the writes are split, in turn: within lines, and over them. */
const partLengths = [3, 90, 11, 400];

/**
 * Repeats the writes in a folder in parts of few bytes. Splits lines, and each character of several bytes. Yields after
 * each part, true within a character.
 */
export function* replayWrites(folder: string, writes: readonly Write[]): Generator<boolean> {
  let count = 0;
  for (const [path, text, isNew] of writes) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (isNew) writeFileSync(file, '');
    for (let remainingBytes = Buffer.from(text); remainingBytes.length > 0;) {
      const length = partLengths[(count += 1) % partLengths.length] ?? 1;
      const splitEnd = remainingBytes.findIndex((byte) => byte >= 0xc0) + 1;
      const end = splitEnd > 0 ? Math.min(splitEnd, length) : length;
      appendFileSync(file, remainingBytes.subarray(0, end));
      remainingBytes = remainingBytes.subarray(end);
      yield end === splitEnd;
    }
  }
}

/** Columns that differ between a plain import and a watch: numbers of rows, and the times of rows. */
const differingColumns = new Set([
  'id',
  'created_at',
  'start_time',
  'end_time',
  'started_at',
  'finished_at',
]);

/** Returns the sorted rows of each table without {@link differingColumns}. */
export async function readAllRows({ kysely }: Database): Promise<Record<string, string[]>> {
  const tables = await Promise.all(
    tableNames.map(async (table) => {
      const rows = await kysely.selectFrom(table).selectAll().execute();
      const texts = rows.map((row) => {
        const entries = Object.entries(row).filter(([name]) => !differingColumns.has(name));
        return JSON.stringify(entries).replace(/\\"timestamp\\":[\d.]+,/, '');
      });
      return [table, texts.sort()];
    }),
  );
  return Object.fromEntries(tables) as Record<string, string[]>;
}

/** Deletes all rows. */
export async function clearTables({ kysely }: Database): Promise<void> {
  for (const table of tableNames.toReversed()) await kysely.deleteFrom(table).execute();
}
