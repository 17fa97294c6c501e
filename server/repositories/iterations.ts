import { sql } from 'kysely';
import { byteLength, textPrefix } from '#server/db/expressions.ts';
import { arrayLengthAfterKey, integerAfterKey } from '#server/db/json-text.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type { IterationFull, IterationRow } from '#shared/schemas/run.ts';
import { bigint, textOf } from './expressions.ts';
import type { Store } from './store.ts';

/** Which iterations of a run: those above `after`, at most `limit` of them. */
export interface IterationsSelection {
  runId: string;
  after?: number | undefined;
  limit?: number | undefined;
}

const headLength = 120;
const actionsLength = 100_000;

/** The iterations in order, without their JSON. Rows whose iteration is no integer are left out. */
export async function listScalars(
  store: Store,
  selection: IterationsSelection,
): Promise<IterationRow[]> {
  const diagnostics = sql.ref<string | null>('i.diagnostics_json');
  const rows = await selected(store, selection)
    .select([
      ...scalarColumns(store),
      textPrefix(diagnostics, headLength).as('head'),
      store.dialect.textFrom(diagnostics, '"adaptiveActions"', actionsLength).as('actions'),
    ])
    .execute();
  return rows
    .filter((row) => row.iteration !== null)
    .map((row) => ({
      ...toScalars(row),
      populationSize: integerIn(row.head, '"populationSize"'),
      eliteSize: integerIn(row.head, '"eliteSize"'),
      adaptiveActions: arrayLengthAfterKey(row.actions),
    }));
}

function integerIn(head: string | null, key: string): number | null {
  const start = head?.indexOf(key) ?? -1;
  return start < 0 ? null : integerAfterKey(head?.slice(start) ?? null);
}

/** An iteration and how many bytes its JSON takes. */
export interface IterationSize {
  iteration: StoredInteger;
  jsonBytes: number;
}

/** The iterations in order with the size of their JSON, which costs no reading of it. */
export async function listIterationSizes(
  store: Store,
  selection: IterationsSelection,
): Promise<IterationSize[]> {
  const bytes = (column: string) =>
    sql<number>`coalesce(${byteLength(sql.ref<string | null>(column))}, 0)`;
  const rows = await selected(store, selection)
    .select([
      iterationNumber(store),
      sql<number>`${bytes('i.metrics_json')} + ${bytes('i.diagnostics_json')}`.as('json_bytes'),
    ])
    .execute();
  return rows.flatMap(({ iteration, json_bytes: jsonBytes }) =>
    iteration === null ? [] : [{ iteration, jsonBytes }],
  );
}

/** The iterations above `after`, up to and including `last`, in order, with their JSON. */
export async function listIterations(
  store: Store,
  selection: IterationsSelection & { last: StoredInteger },
): Promise<IterationFull[]> {
  const rows = await selected(store, selection)
    .select([...scalarColumns(store), 'i.metrics_json', 'i.diagnostics_json'])
    .where('i.iteration', '<=', bigint(selection.last))
    .execute();
  return rows
    .filter((row) => row.iteration !== null)
    .map((row) => ({
      ...toScalars(row),
      metricsJson: row.metrics_json,
      diagnosticsJson: row.diagnostics_json,
    }));
}

/** The metrics of a run's last iteration, as stored; null when it has none. */
export async function findLastMetrics({ kysely }: Store, runId: string): Promise<string | null> {
  const row = await kysely
    .selectFrom('iterations')
    .select('metrics_json')
    .where('run_id', '=', runId)
    .orderBy('iteration', (item) => item.desc().nullsLast())
    .limit(1)
    .executeTakeFirst();
  return row?.metrics_json ?? null;
}

/**
 * The text around `representationFamily` in a run's last diagnostics, for the first word after the key;
 * null when it has none.
 */
export async function findFamilyText(
  { kysely, dialect }: Store,
  runId: string,
): Promise<string | null> {
  const diagnostics = sql.ref<string | null>('i.diagnostics_json');
  const row = await kysely
    .selectFrom('iterations')
    .select(dialect.textFrom(diagnostics, '"representationFamily"', 80).as('family'))
    .where('run_id', '=', runId)
    .orderBy('iteration', (item) => item.desc().nullsLast())
    .limit(1)
    .executeTakeFirst();
  return row?.family ?? null;
}

/** Last minus first best fitness of each run of an experiment that has a finite one at both ends. */
export async function listTraceGains(
  { kysely, dialect }: Store,
  experimentId: string,
): Promise<number[]> {
  const end = (direction: 'asc' | 'desc') =>
    sql<number | null>`(select ${dialect.finiteNumber(sql.ref<number>('i.best_fitness'))}
      from iterations i where i.run_id = r.run_id
      order by i.iteration ${sql.raw(direction)} nulls last limit 1)`;
  const rows = await kysely
    .selectFrom('runs as r')
    .select([end('asc').as('first'), end('desc').as('last')])
    .where('r.experiment_id', '=', experimentId)
    .execute();
  return rows.flatMap(({ first, last }) => (first === null || last === null ? [] : [last - first]));
}

/** The column is always named with its table: alone it would mean the expression selected under its name. */
function selected({ kysely }: Store, { runId, after, limit }: IterationsSelection) {
  let query = kysely
    .selectFrom('iterations as i')
    .where('i.run_id', '=', runId)
    .where('i.iteration', 'is not', null)
    .orderBy('i.iteration');
  if (after !== undefined) query = query.where('i.iteration', '>', bigint(after));
  if (limit !== undefined) query = query.limit(bigint(limit));
  return query;
}

function iterationNumber({ dialect }: Store) {
  return dialect.integer(sql.ref<StoredInteger | null>('i.iteration')).as('iteration');
}

function scalarColumns(store: Store) {
  const { dialect } = store;
  const number = (column: string) => dialect.finiteNumber(sql.ref<number>(column));
  return [
    iterationNumber(store),
    dialect.integer(sql.ref<StoredInteger | null>('i.evaluations')).as('evaluations'),
    number('i.best_fitness').as('best_fitness'),
    number('i.mean_fitness').as('mean_fitness'),
    number('i.std_fitness').as('std_fitness'),
    'i.created_at',
  ] as const;
}

function toScalars(row: {
  iteration: StoredInteger | null;
  evaluations: StoredInteger | null;
  best_fitness: number | null;
  mean_fitness: number | null;
  std_fitness: number | null;
  created_at: string;
}) {
  return {
    iteration: row.iteration ?? 0,
    evaluations: row.evaluations,
    bestFitness: row.best_fitness,
    meanFitness: row.mean_fitness,
    stdFitness: row.std_fitness,
    createdAt: textOf(row.created_at),
  };
}
