import { sql, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type { Direction } from '#server/domain/objective.ts';
import { directions } from '#shared/words.ts';
import { compareStoredTimes } from '#shared/syntax.ts';
import { deleteRows } from './deletion.ts';
import { settledType } from './events.ts';
import {
  selectCount,
  toInteger,
  selectNullableText,
  makeRow,
  selectText,
  readText,
} from './row.ts';

/** A stored run of an earlier import. */
export interface StoredRun {
  runId: string;
  experimentId: string;
  status: string;
  evaluations: StoredInteger | null;
}

/** The content of the `imported` event of an import, which identifies the rows of the import. */
export interface ImportMark {
  eventId: number;
  dataSet: string;
  /** SHA-256 of the content of the source in hexadecimal; empty if the event has none. */
  sha256: string;
  /** Ids of the campaigns of the data set; empty if the event has none. */
  campaignIds: readonly string[];
  /**
   * Prefix of the ids of the runs of each experiment, by the key of the experiment (see {@link getMarkKey}); null in
   * events of earlier versions.
   */
  experiments: Readonly<Record<string, string>> | null;
  /** Names of algorithms by their names in the source; null in events of earlier versions. */
  algorithms: Readonly<Record<string, string>> | null;
  /** Id of the watch that writes the rows, or wrote them until an interruption; null for other imports. */
  watch: string | null;
}

/** Number of hexadecimal digits of the id of an experiment in a mark: 64 bits. */
const markKeyLength = 16;

/** Returns the key of an experiment in {@link ImportMark}. */
export function getMarkKey(experimentId: string): string {
  return experimentId.slice(0, markKeyLength);
}

/** Returns the marks of all imports, newest first. Omits invalid events. */
export async function listImportMarks({ kysely }: Pick<Database, 'kysely'>): Promise<ImportMark[]> {
  const rows = await kysely
    .selectFrom('events')
    .select(['id', 'payload_json'])
    .where('run_id', 'is', null)
    .where('event_type', '=', 'imported')
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ id, payload_json }) => parseMark(id, readText(payload_json)) ?? []);
}

/** Returns the mark in an event; null if the event is missing or contains no mark. */
export async function findImportMark(
  { kysely }: Pick<Database, 'kysely'>,
  eventId: number,
): Promise<ImportMark | null> {
  const row = await kysely
    .selectFrom('events')
    .select('payload_json')
    .where('id', '=', eventId)
    .where('event_type', '=', 'imported')
    .executeTakeFirst();
  return row ? parseMark(eventId, readText(row.payload_json)) : null;
}

function parseMark(eventId: number, payload: string): ImportMark | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  const { dataset, sha256, campaigns, experiments, algorithms, watch } = Object(value) as Record<
    string,
    unknown
  >;
  if (typeof dataset !== 'string') return null;
  return {
    eventId,
    dataSet: dataset,
    sha256: typeof sha256 === 'string' ? sha256 : '',
    campaignIds: Array.isArray(campaigns) ? campaigns.map(String) : [],
    experiments: experiments === undefined ? null : getTexts(experiments),
    algorithms: algorithms === undefined ? null : getTexts(algorithms),
    watch: typeof watch === 'string' ? watch : null,
  };
}

/** Returns the texts in an object by their keys. Omits its other values. */
function getTexts(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const importedRunId = /^imp-[0-9a-f]{12}-f\d+-d\d+-i\d+(-s-?\d+)?-r\d+$/;

/** Number of characters of the id of a run before its function: `imp-`, 12 digits and `-`. */
const prefixLength = 17;

/**
 * Returns whether one of the marked imports wrote a run. This is true if the id has the form of an imported run, and if
 * a mark contains the experiment with the prefix of the id, or has no `experiments` (null). Ignores the parameters of
 * the experiment, because a runner may copy them.
 */
function isMarked(marks: readonly ImportMark[], experimentId: string, runId: string): boolean {
  if (!importedRunId.test(runId)) return false;
  const key = getMarkKey(experimentId);
  return marks.some(
    ({ experiments }) => experiments === null || runId.startsWith(`${experiments[key]}-`),
  );
}

async function listMarks(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<ImportMark[]> {
  const marks = await listImportMarks(database);
  return marks.filter((mark) => mark.dataSet === dataSet);
}

/**
 * Condition that a run `r` has events of a runner. A runner writes events for each run, and imports write none. Ignores
 * the event of a settled run, because a user may settle a run that an interrupted watch left RUNNING.
 */
const hasEvents = sql<SqlBool>`exists (select 1 from events v
  where v.run_id = r.run_id and v.event_type <> ${sql.lit(settledType)})`;

/**
 * Returns the runs that imports of the data set of this name wrote, in any order. Omits runs with events of a runner.
 */
export async function listImportedRuns(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<StoredRun[]> {
  const marks = await listMarks(database, dataSet);
  const rows = await database.kysely
    .selectFrom('runs as r')
    .select(['r.run_id', 'r.experiment_id', 'r.status', 'r.evaluations'])
    .where('r.experiment_id', 'in', selectCandidateExperiments(database, dataSet))
    .where(sql<SqlBool>`not ${hasEvents}`)
    .execute();
  return rows
    .map((row) => ({
      runId: row.run_id,
      experimentId: row.experiment_id,
      status: readText(row.status),
      evaluations: toInteger(row.evaluations),
    }))
    .filter(({ experimentId, runId }) => isMarked(marks, experimentId, runId));
}

/**
 * Waits until no other transaction has the lock of the data set of this name, and holds the lock until the end of the
 * write transaction of the caller. Rows that another import has written but not committed are invisible, so both
 * imports would write the same ids. Rejects with the error of a lock timeout after 10 s, the limit of write
 * transactions. SQLite: does nothing, because the only writer has already locked the database.
 */
export async function lockDataSet(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  dataSet: string,
): Promise<void> {
  await dialect.lock(kysely, 'dataSets', dataSet);
}

/**
 * Returns the campaigns of {@link listImportedCampaigns} in any order, with the columns that another import of the data
 * set may change.
 */
export async function listChangingCampaigns(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  dataSet: string,
) {
  const campaignIds = await listImportedCampaigns({ kysely }, dataSet);
  return kysely
    .selectFrom('coco_campaigns')
    .select([
      'campaign_id',
      'status',
      'dimensions_json',
      'instances_json',
      'functions_json',
      'notes',
    ])
    .where(dialect.isAmong(sql.ref<string>('campaign_id'), campaignIds))
    .execute();
}

/**
 * Returns the trials of these runs in any order, with their campaigns, problem instances and directions, and with the
 * columns that another import of a run may change. `direction` is null if the experiment states no valid direction.
 */
export async function listTrialsOfRuns(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  runs: readonly Pick<StoredRun, 'runId' | 'experimentId'>[],
) {
  const directionsByExperiment = await listDirections(
    { kysely, dialect },
    new Set(runs.map(({ experimentId }) => experimentId)),
  );
  const directionsByRun = new Map(
    runs.map(({ runId, experimentId }) => [runId, directionsByExperiment.get(experimentId)]),
  );
  const rows = await kysely
    .selectFrom('coco_trials')
    .select([
      'campaign_id',
      'run_id',
      'optimizer_id',
      'function_id',
      'dimension',
      'instance_id',
      'repetition',
      'evaluations',
      'best_fitness',
      'evals_to_target',
      'target_value',
    ])
    .where(
      dialect.isAmong(
        sql.ref<string>('run_id'),
        runs.map(({ runId }) => runId),
      ),
    )
    .execute();
  return rows.flatMap(({ run_id, ...row }) =>
    run_id === null ? [] : [{ ...row, run_id, direction: directionsByRun.get(run_id) ?? null }],
  );
}

/**
 * Returns the directions in the configurations of these experiments, by experiment id; undefined for an unknown word.
 * Omits experiments without a direction.
 */
async function listDirections(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  experimentIds: ReadonlySet<string>,
): Promise<Map<string, Direction | undefined>> {
  const rows = await kysely
    .selectFrom('experiment_params')
    .select(['experiment_id', 'value_text'])
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), [...experimentIds]))
    .where('param_path', '=', 'problem.direction')
    .execute();
  return new Map(
    rows.map((row) => [
      row.experiment_id,
      directions.find((direction) => direction === row.value_text),
    ]),
  );
}

/**
 * Selects the ids of the experiments whose configuration names the data set. They are only candidates, because a runner
 * may copy a configuration.
 */
function selectCandidateExperiments({ kysely }: Pick<Database, 'kysely'>, dataSet: string) {
  return kysely
    .selectFrom('experiment_params')
    .select('experiment_id')
    .where('param_path', '=', 'import.dataset')
    .where('value_text', '=', dataSet);
}

const candidateRow = makeRow({
  dataSet: selectText('p.value_text'),
  experimentId: selectText('p.experiment_id'),
  runCount: selectCount(sql`count(r.run_id)`),
  // Both prefixes are equal if one import wrote all runs.
  lowestPrefix: selectNullableText(sql`min(substr(r.run_id, 1, ${sql.lit(prefixLength)}))`),
  highestPrefix: selectNullableText(sql`max(substr(r.run_id, 1, ${sql.lit(prefixLength)}))`),
  runCountWithEvents: selectCount(sql`count(case when ${hasEvents} then 1 end)`),
  importedAt: selectNullableText('e.created_at'),
});

/**
 * Returns the experiments whose runs all come from imports of the data set in their configuration, by id. All runs of
 * an experiment have the same prefix, and no events of a runner. Omits experiments without runs. `dataSet` limits the
 * experiments to one data set.
 */
async function listExperimentsOfImports({ kysely }: Pick<Database, 'kysely'>, dataSet?: string) {
  const marks = Map.groupBy(await listImportMarks({ kysely }), (mark) => mark.dataSet);
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .innerJoin('experiments as e', 'e.experiment_id', 'p.experiment_id')
    .innerJoin('runs as r', 'r.experiment_id', 'e.experiment_id')
    .select(candidateRow.columns)
    .where('p.param_path', '=', 'import.dataset')
    .where('p.value_text', 'is not', null)
    .$if(dataSet !== undefined, (query) => query.where('p.value_text', '=', dataSet ?? ''))
    .groupBy(['p.value_text', 'p.experiment_id', 'e.created_at'])
    .orderBy('p.experiment_id')
    .execute();
  return rows
    .map(candidateRow.read)
    .filter(({ experimentId, lowestPrefix, highestPrefix, ...candidate }) => {
      const isOneImport = lowestPrefix === highestPrefix && candidate.runCountWithEvents === 0;
      // This id has the common prefix of all runs of the experiment.
      const runId = `${lowestPrefix}f0-d0-i0-r0`;
      return isOneImport && isMarked(marks.get(candidate.dataSet) ?? [], experimentId, runId);
    });
}

/**
 * Returns the ids of the experiments that belong only to the data set of this name, by id. Such an experiment has runs,
 * and imports of the data set wrote all of them. With `campaignIds`, no run is a trial of another campaign. An
 * experiment that has no runs, or that a runner used too, belongs to the runner.
 */
export async function listImportedExperiments(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
  campaignIds?: readonly string[],
): Promise<string[]> {
  const importedIds = (await listExperimentsOfImports(database, dataSet)).map(
    ({ experimentId }) => experimentId,
  );
  if (campaignIds === undefined) return importedIds;
  const sharedExperiments = await database.kysely
    .selectFrom('runs as r')
    .innerJoin('coco_trials as t', 't.run_id', 'r.run_id')
    .select('r.experiment_id')
    .distinct()
    .where('r.experiment_id', 'in', selectCandidateExperiments(database, dataSet))
    .$if(campaignIds.length > 0, (query) => query.where('t.campaign_id', 'not in', campaignIds))
    .execute();
  const sharedIds = new Set(sharedExperiments.map(({ experiment_id }) => experiment_id));
  return importedIds.filter((id) => !sharedIds.has(id));
}

/**
 * Returns the prefix of the run ids, without the `-` at its end, of each experiment that belongs only to the data set
 * of this name, by experiment id; see {@link listImportedExperiments}.
 */
export async function listRunIdPrefixes(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<Map<string, string>> {
  const experiments = await listExperimentsOfImports(database, dataSet);
  return new Map(
    experiments.map(({ experimentId, lowestPrefix }) => [
      experimentId,
      (lowestPrefix ?? '').slice(0, prefixLength - 1),
    ]),
  );
}

/** Returns the ids and configurations (as JSON text) of these experiments, by id, without missing ones. */
export async function listConfigs(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  experimentIds: readonly string[],
): Promise<{ experimentId: string; configText: string }[]> {
  const rows = await kysely
    .selectFrom('experiments')
    .select(['experiment_id', 'config_json'])
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), experimentIds))
    .orderBy('experiment_id')
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    configText: readText(row.config_json),
  }));
}

/**
 * Returns the data sets with experiments that belong only to one data set (see {@link listImportedExperiments}), by
 * name. Counts these experiments and their runs. `importedAt` is the latest creation time of these experiments; null if
 * no experiment has one.
 */
export async function listDataSets(database: Pick<Database, 'kysely'>) {
  const experimentsByDataSet = Map.groupBy(
    await listExperimentsOfImports(database),
    ({ dataSet }) => dataSet,
  );
  return [...experimentsByDataSet]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, experiments]) => ({
      name,
      experimentCount: experiments.length,
      runCount: experiments.reduce((sum, { runCount }) => sum + runCount, 0),
      importedAt: experiments.reduce<string | null>(
        (newestTime, { importedAt }) =>
          compareStoredTimes(importedAt, newestTime) > 0 ? importedAt : newestTime,
        null,
      ),
    }));
}

/**
 * Returns the campaigns that imports created, with the names of the data sets, by suite, then by id. Omits campaigns
 * with trials of runs that no import wrote.
 */
export async function listCampaignsOfDataSets({ kysely }: Pick<Database, 'kysely'>) {
  const marks = await listImportMarks({ kysely });
  const rows = await kysely
    .selectFrom('coco_campaigns as m')
    .select(['m.campaign_id', 'm.name', 'm.suite'])
    .where('m.campaign_id', 'like', 'imp-%')
    .where(sql<SqlBool>`not ${hasOtherTrials}`)
    .orderBy('m.suite')
    .orderBy('m.campaign_id')
    .execute();
  return rows
    .map((row) => ({
      campaignId: row.campaign_id,
      dataSet: readText(row.name),
      suite: readText(row.suite),
    }))
    .filter(({ campaignId, dataSet }) =>
      marks.some((mark) => mark.dataSet === dataSet && mark.campaignIds.includes(campaignId)),
    );
}

/** Condition that a campaign `m` has trials of runs that no import wrote: the run ids do not start with `imp-`. */
const hasOtherTrials = sql<SqlBool>`exists (select 1 from coco_trials t
  where t.campaign_id = m.campaign_id and t.run_id not like 'imp-%')`;

/** Returns the ids among these that the table contains, in any order. */
export async function listPresentIds(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  table: 'runs' | 'experiments' | 'coco_campaigns',
  ids: readonly string[],
): Promise<string[]> {
  const column = { runs: 'run_id', experiments: 'experiment_id', coco_campaigns: 'campaign_id' }[
    table
  ];
  const id = sql.ref<string>(column);
  const rows = await kysely
    .selectFrom(table)
    .select(id.as('id'))
    .where(dialect.isAmong(id, ids))
    .execute();
  return rows.map((row) => row.id);
}

/** Returns the ids of the campaigns that belong only to the data set of this name, by suite, then by id. */
export async function listImportedCampaigns(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<string[]> {
  const campaigns = await listCampaignsOfDataSets(database);
  return campaigns.flatMap((campaign) =>
    campaign.dataSet === dataSet ? [campaign.campaignId] : [],
  );
}

/**
 * Deletes these imported runs of the data set of this name with their trials. Then deletes the optimizers that have no
 * trials in the campaigns of the data set. Does nothing without runs.
 */
export async function deleteImportedRuns(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  dataSet: string,
  runIds: readonly string[],
): Promise<void> {
  if (runIds.length === 0) return;
  await deleteRows({ kysely, dialect }, { campaignIds: [], experimentIds: [], runIds });
  const campaignIds = await listImportedCampaigns({ kysely }, dataSet);
  await kysely
    .deleteFrom('coco_optimizer_configs')
    .where(dialect.isAmong(sql.ref<string>('campaign_id'), campaignIds))
    .where(
      sql<SqlBool>`not exists (select 1 from coco_trials t
        where t.campaign_id = coco_optimizer_configs.campaign_id
          and t.optimizer_id = coco_optimizer_configs.optimizer_id)`,
    )
    .execute();
}
