import { sql, type Kysely } from 'kysely';
import { isTooLong, type DatabaseDialect, type FailureKind, type RowCounts } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import { LostLogError } from '../start-up-error.ts';
import type { TableName } from '../tables.ts';
import { isAscii, likeLiteral, spellings } from '../text-pattern.ts';
import { sqliteCode, type SqliteHandle } from './sqlite-driver.ts';
import { inspectSqlite } from './sqlite-inspect.ts';
import { readSqliteTraces } from './sqlite-traces.ts';

/** The parts of an open SQLite database that the dialect uses. */
export interface SqliteAccess {
  kysely: Kysely<Tables>;
  /** Connection of write transactions; in memory the same as `kysely`, because there is only one. */
  writer: () => Kysely<Tables>;
  /** Connection for reading. */
  reader: () => SqliteHandle;
  changeCursor: () => string;
  isWrittenByOthers: () => boolean;
  identity: () => string;
  makeIndex: DatabaseDialect['makeIndex'];
}

/** The differences for SQLite; each is described at {@link DatabaseDialect}. */
export function sqliteDialect({
  kysely,
  writer,
  reader,
  changeCursor,
  isWrittenByOthers,
  identity,
  makeIndex,
}: SqliteAccess): DatabaseDialect {
  return {
    name: 'sqlite',
    maximumParameters: 32_766,
    queriesAtOnce: 1,
    byCodePoint: (text) => sql`${text}`,
    containsText: (text, part) =>
      isAscii(part)
        ? sql`(${text}) like ${`%${likeLiteral(part)}%`} escape '\\'`
        : sql`(${text}) glob ${`*${globLiteral(part)}*`}`,
    equalsText: (text, value) =>
      isAscii(value)
        ? sql`(${text}) like ${likeLiteral(value)} escape '\\'`
        : sql`(${text}) glob ${globLiteral(value)}`,
    isAmong: (text, values) =>
      sql`${text} in (select value from json_each(${JSON.stringify(values)}))`,
    finiteNumber: (value) =>
      sql`case when typeof(${value}) in ('integer', 'real') and ${value} between ${-Number.MAX_VALUE} and ${Number.MAX_VALUE} then cast(${value} as real) end`,
    integer: (value) => sql`case when typeof(${value}) = 'integer' then ${value} end`,
    literal: (value) => sql`quote(${value})`,
    textFrom: (text, needle, length) =>
      sql`case when instr(${text}, ${needle}) > 0 then substr(${text}, instr(${text}, ${needle}), ${length}) end`,
    isJson: (text) => sql`json_valid(${text})`,
    textAt: (json, path) => sql`json_extract(${json}, ${sql.lit(['$', ...path].join('.'))})`,
    textEnd: (text, bytes) => sql`cast(substr(cast(${text} as blob), ${-bytes}) as text)`,
    lockingRows: (query) => query,
    withWriteTransaction: (work) => writer().transaction().execute(work),
    expectGrowth: async () => {},
    listHooks: async () => inspectSqlite(reader()).hooks,
    isReference: (error) => sqliteCode(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY',
    isWrittenByOthers,
    deletionLockSeconds: (rows, bytes) => secondsOf(rows, deletionMicros) + bytes / 1e9,
    writingLockSeconds: (rows) => secondsOf(rows, writingMicros),
    databaseSizeBytes: async () => {
      const size = sql<{ bytes: number }>`
        select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
      return (await size.execute(kysely)).rows[0]?.bytes ?? 0;
    },
    identity: async () => identity(),
    changeCursor: async () => changeCursor(),
    snapshotKey: async () => changeCursor(),
    // A sum with infinite fitness is infinite whatever else changes; the sum of reciprocals is not.
    iterationFingerprint: sql`count(*) || ' ' || quote(total(i.best_fitness * (i.iteration + 1)))
      || ' ' || quote(total((i.iteration + 1) / i.best_fitness))
      || ' ' || quote(total(i.evaluations * (i.iteration + 1.0)))`,
    iterationChanges: async () => '',
    hasIndex: async (name) => {
      const query = sql`select 1 from sqlite_schema where type = 'index' and name = ${name}`;
      return (await query.execute(kysely)).rows.length > 0;
    },
    readTraces: async (requests, visit) => readSqliteTraces(reader(), requests, visit),
    makeIndex,
    failureKind: sqliteFailureKind,
  };
}

/**
 * Microseconds for the deletion of one row of a table, with its entries in all indexes and the check before it: about
 * 1.6 times the processor time measured with 200,000 runs, because disks take time too.
 */
const deletionMicros: Readonly<Record<TableName, number>> = {
  experiments: 8,
  experiment_params: 5,
  runs: 14,
  run_objectives: 4,
  iterations: 6,
  checkpoints: 4,
  events: 5,
  control_requests: 5,
  coco_campaigns: 5,
  coco_optimizer_configs: 5,
  coco_trials: 8,
  coco_reference_results: 5,
  coco_aggregates: 5,
};

/**
 * Microseconds for writing one row of a table, with its entries in all indexes: about 1.5 times the processor time
 * measured in tables of 100,000 rows and more.
 */
const writingMicros: Readonly<Record<TableName, number>> = {
  experiments: 600,
  experiment_params: 30,
  runs: 50,
  run_objectives: 10,
  iterations: 35,
  checkpoints: 30,
  events: 50,
  control_requests: 30,
  coco_campaigns: 100,
  coco_optimizer_configs: 50,
  coco_trials: 30,
  coco_reference_results: 20,
  coco_aggregates: 30,
};

function secondsOf(rows: RowCounts, micros: Readonly<Record<TableName, number>>): number {
  return [...rows].reduce((sum, [table, count]) => sum + count * micros[table], 0) / 1e6;
}

/** Returns a GLOB pattern that matches a text in any mixture of cases: cased characters and wildcards become sets. */
function globLiteral(text: string): string {
  return spellings(text)
    .map((characters) => {
      const literal = characters.length === 1 && !'*?['.includes(characters[0] ?? '');
      return literal ? characters[0] : `[${characters.join('')}]`;
    })
    .join('');
}

function sqliteFailureKind(error: unknown): FailureKind {
  const code = sqliteCode(error) ?? '';
  if (error instanceof LostLogError) return 'unavailable';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (code === 'SQLITE_TOOBIG' || isTooLong(error)) return 'too-large';
  const message = error instanceof Error ? error.message : '';
  if (/^no such (table|column)|connection is not open/.test(message)) return 'unavailable';
  return /^SQLITE_(CANTOPEN|IOERR|FULL|CORRUPT|NOTADB|PROTOCOL)/.test(code)
    ? 'unavailable'
    : 'other';
}
