import type { Database } from '#server/db/database.ts';
import {
  listImportedCampaigns,
  listPresentIds,
  type StoredRun,
} from '#server/repositories/imported.ts';
import { listPresentExperiments, listRunStates } from '#server/repositories/locks.ts';
import { listOtherReferences } from '#server/repositories/recording.ts';
import { isRunning } from '#shared/words.ts';
import type { DataSet, Experiment } from './data-set.ts';
import { ImportRefused } from './refusal.ts';
import { type ImportedRun, rowsOf, type Rows } from './run-groups.ts';

type PlannedRun = Experiment['runs'][number];

/** What becomes of the runs of a data set. */
export interface Comparison {
  /**
   * Runs to write: those that are new, and those that were shorter when they were written, or belong to another
   * experiment by what the data say of the algorithm now.
   */
  added: Set<string>;
  extended: Set<string>;
  /** Runs that are there as they are, or longer. */
  unchanged: Set<string>;
  /** Runs that are there with other values. */
  conflicting: string[];
  /** Stored runs of an unknown instance which the source lists by now. */
  superseded: string[];
}

/** Holds a data set against the runs that the database has under its name; reads only. */
export async function compareWithStored(
  database: Database,
  dataSet: DataSet,
  stored: readonly StoredRun[],
): Promise<Comparison> {
  const runs = dataSet.campaigns.flatMap(({ experiments }) =>
    experiments.flatMap((experiment) => experiment.runs),
  );
  const planned = new Map(runs.map((run) => [run.runId, run]));
  const traces = await readTraces(database, stored);
  const states = stored.map((run) => {
    const now = planned.get(run.runId);
    return { run, state: now ? stateOf(run, traces.get(run.runId), now) : 'absent' };
  });
  const idsIn = (state: string) =>
    states.filter((one) => one.state === state).map(({ run }) => run.runId);
  const known = new Set(stored.map(({ runId }) => runId));
  const added = runs.filter(({ runId }) => !known.has(runId));
  return {
    added: new Set(added.map(({ runId }) => runId)),
    extended: new Set(idsIn('extended')),
    unchanged: new Set(idsIn('unchanged')),
    conflicting: idsIn('conflicting').sort(),
    superseded: idsIn('absent').filter((runId) => isSuperseded(runId, traces.get(runId), added)),
  };
}

async function readTraces(
  database: Database,
  stored: readonly StoredRun[],
): Promise<Map<string, Rows>> {
  const traces = new Map<string, Rows>();
  await database.dialect.readTraces(stored, (runId, pairs) => {
    const evaluations = pairs.filter((_, index) => index % 2 === 0);
    const values = pairs.filter((_, index) => index % 2 === 1);
    traces.set(runId, { evaluations, values });
  });
  return traces;
}

const nothing: Rows = { evaluations: [], values: [] };

function stateOf(
  stored: StoredRun,
  rows: Rows = nothing,
  planned: PlannedRun,
): 'unchanged' | 'extended' | 'conflicting' {
  const hadEnded = stored.status === statusOf(planned);
  const used = Number(stored.evaluations ?? 0);
  const plannedRows = rowsOf(planned.trace);
  if (isBeginning(plannedRows, rows) && planned.trace.spent <= used) {
    const isSame = isBeginning(rows, plannedRows);
    const isFinished = hadEnded || !planned.isFinalised;
    const isInPlace = stored.experimentId === planned.experimentId;
    return !isSame || (isFinished && isInPlace) ? 'unchanged' : 'extended';
  }
  return isBeginning(rows, plannedRows) ? 'extended' : 'conflicting';
}

/** A run whose index does not state its end was stopped. */
export function statusOf({ isFinalised }: Pick<ImportedRun, 'isFinalised'>): string {
  return isFinalised ? 'COMPLETED' : 'STOPPED';
}

/**
 * Whether `part` is what was known of `whole` at some time: at each of its rows, the last one included, `whole` has
 * the very same best value. Rows may have come in between, as loggers do not write their files at the same time.
 */
function isBeginning(part: Rows, whole: Rows): boolean {
  const [count, wholeCount] = [part.evaluations.length, whole.evaluations.length];
  if ((part.evaluations[count - 1] ?? -1) > (whole.evaluations[wholeCount - 1] ?? -1)) return false;
  let row = -1;
  for (let index = 0; index < count; index += 1) {
    const evaluations = part.evaluations[index] ?? 0;
    while ((whole.evaluations[row + 1] ?? Infinity) <= evaluations) row += 1;
    if (whole.values[row] !== part.values[index]) return false;
  }
  return true;
}

/** Whether a stored run of instance 0 is the beginning of a run that is new, in the same place otherwise. */
function isSuperseded(
  runId: string,
  rows: Rows | undefined,
  added: readonly PlannedRun[],
): boolean {
  const [, place] = /^(.*)-i0-r\d+$/.exec(runId) ?? [];
  if (place === undefined || rows === undefined) return false;
  return added.some(
    (run) => run.runId.startsWith(`${place}-i`) && isBeginning(rows, rowsOf(run.trace)),
  );
}

/**
 * Throws IMPORT_CONFLICT where a campaign, experiment or run that would be written is there and no import of this name
 * wrote it, or where it would replace references that no import wrote. `added` are the runs to write, `existing` the
 * runs of the data set that are there.
 */
export async function refuseForeignRows(
  database: Database,
  { name, campaigns, notes }: DataSet,
  added: ReadonlySet<string>,
  existing: readonly StoredRun[],
  asReference: boolean,
): Promise<void> {
  if (asReference) await refuseForeignReferences(database, campaigns, notes);
  const experiments = campaigns
    .flatMap((campaign) => campaign.experiments)
    .filter(({ runs }) => runs.some(({ runId }) => added.has(runId)));
  const own = new Set([
    ...existing.flatMap(({ runId, experimentId }) => [runId, experimentId]),
    ...(await listImportedCampaigns(database, name)),
  ]);
  const present = [
    ...(await listPresentIds(
      database,
      'coco_campaigns',
      campaigns.flatMap(({ campaignId }) => campaignId ?? []),
    )),
    ...(await listPresentIds(
      database,
      'experiments',
      experiments.map(({ record }) => record.experimentId),
    )),
    ...(await listPresentIds(database, 'runs', [...added])),
  ];
  const foreign = present.filter((id) => !own.has(id));
  if (foreign.length === 0) return;
  throw new ImportRefused(
    'IMPORT_CONFLICT',
    `The database holds rows with the ids of "${name}" that no import of this name wrote ` +
      `(${shownIds(foreign)}): import under another name`,
    notes,
  );
}

async function refuseForeignReferences(
  database: Database,
  campaigns: DataSet['campaigns'],
  notes: DataSet['notes'],
): Promise<void> {
  for (const { suite, experiments } of campaigns) {
    const others = new Set(suite === null ? [] : await listOtherReferences(database, suite));
    const optimizer = experiments.find(({ group }) => others.has(group.algorithm));
    if (!optimizer) continue;
    throw new ImportRefused(
      'IMPORT_CONFLICT',
      `The database holds references of "${optimizer.group.algorithm}" in ${suite} that no import wrote: ` +
        'import without writing references',
      notes,
    );
  }
}

/** Throws RUNS_ACTIVE while one of these runs is RUNNING; locks their experiments, so that none becomes it meanwhile. */
export async function refuseRunning(
  transaction: Database,
  { name, notes }: DataSet,
  runs: readonly StoredRun[],
): Promise<void> {
  const { kysely, dialect } = transaction;
  const experimentIds = [...new Set(runs.map(({ experimentId }) => experimentId))];
  const locked = { locked: true };
  await listPresentExperiments(kysely, dialect, experimentIds, locked);
  const states = await listRunStates(kysely, dialect, experimentIds, locked);
  const changing = new Set(runs.map(({ runId }) => runId));
  const running = states.filter((run) => changing.has(run.runId) && isRunning(run));
  if (running.length === 0) return;
  throw new ImportRefused(
    'RUNS_ACTIVE',
    `"${name}" has runs that are RUNNING (${shownIds(running.map(({ runId }) => runId))}): stop them first`,
    notes,
  );
}

/** The first ids of a list, and how many others there are. */
export function shownIds(ids: readonly string[]): string {
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return `${ids.slice(0, 3).join(', ')}${more}`;
}
