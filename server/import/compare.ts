import type { Database } from '#server/db/database.ts';
import type { StoredRun } from '#server/repositories/imported.ts';
import type { DataSet, Experiment } from './data-set.ts';
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
