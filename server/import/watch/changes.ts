import type { Campaign, Experiment } from '#server/import/data-set.ts';

/** A run to write, with its rows from `start` up to `end`, exclusive. */
export interface Change {
  campaign: Campaign;
  experiment: Experiment;
  run: Experiment['runs'][number];
  /** The block of the data files that contains the run; null if unknown. */
  block: string | null;
  /** Whether to add a run with this id, instead of changing the stored one. */
  isNew: boolean;
  /** Whether the database contained no rows of the run, under any id. */
  isAdded: boolean;
  /** Whether to first delete the stored run with the id of this one, because runs exchange their ids in a cycle. */
  isIdTaken: boolean;
  start: number;
  end: number;
  /** Whether the run has all of its rows afterwards. */
  isComplete: boolean;
  /**
   * Other ids of this run in the database. The transaction of the first part of the change deletes the runs with these
   * ids. After a failure between the parts, the next attempt finds only the new id.
   */
  supersededIds: string[];
}

/**
 * Maximum number of rows of a run in a transaction, and maximum size of a transaction with several changes. In this
 * size, a run and an experiment count as several rows. Such a transaction is so short that it does not delay a runner
 * noticeably.
 */
const maximumTransactionRows = 1_000;
const rowsPerRun = 4;
const rowsPerExperiment = 40;

/**
 * Orders changes: a change that deletes a superseded run comes before the change that writes another run with the same
 * id. If runs exchange their ids in a cycle, the first change of the cycle deletes the stored run with its id. For
 * this, sets `isIdTaken` of the first change, and removes the id from the `supersededIds` of the last change of the
 * cycle.
 */
export function orderChanges(changes: readonly Change[]): Change[] {
  const changesBySupersededId = new Map(
    changes.flatMap((change) => change.supersededIds.map((runId) => [runId, change] as const)),
  );
  const orderedChanges = new Set<Change>();
  for (const change of changes) {
    const chain = new Set<Change>();
    let nextChange: Change | undefined = change;
    while (nextChange && !orderedChanges.has(nextChange) && !chain.has(nextChange)) {
      chain.add(nextChange);
      nextChange = changesBySupersededId.get(nextChange.run.runId);
    }
    const members = [...chain].toReversed();
    const [firstChange] = members;
    if (firstChange && nextChange && chain.has(nextChange)) {
      const { runId } = firstChange.run;
      firstChange.isIdTaken = true;
      nextChange.supersededIds = nextChange.supersededIds.filter((id) => id !== runId);
    }
    for (const member of members) orderedChanges.add(member);
  }
  return [...orderedChanges];
}

/**
 * Splits changes, and runs with many rows, into batches of one transaction each, in their order. Yields nothing without
 * changes.
 */
export function* batchChanges(changes: readonly Change[]): Generator<Change[]> {
  let batch: Change[] = [];
  let size = 0;
  let experimentId = '';
  for (const change of changes.flatMap(splitChange)) {
    const isSameExperiment = change.run.experimentId === experimentId;
    const changeSize =
      change.end - change.start + rowsPerRun + (isSameExperiment ? 0 : rowsPerExperiment);
    if (batch.length > 0 && size + changeSize > maximumTransactionRows) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(change);
    size += changeSize;
    ({ experimentId } = change.run);
  }
  if (batch.length > 0) yield batch;
}

function splitChange(change: Change): Change[] {
  const parts: Change[] = [];
  let start = change.start;
  while (change.end - start > maximumTransactionRows) {
    const end = start + maximumTransactionRows;
    parts.push({ ...change, start, end, isComplete: false });
    start = end;
  }
  parts.push({ ...change, start });
  // Only the first part adds the run and deletes other runs.
  return parts.map((part, index) =>
    index === 0
      ? part
      : { ...part, isNew: false, isAdded: false, isIdTaken: false, supersededIds: [] },
  );
}
