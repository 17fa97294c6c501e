import type { Database } from '#server/db/database.ts';
import { isSilentRun, lastActivityOf, medianGapMillis } from '#server/domain/liveness.ts';
import * as progress from '#server/repositories/progress.ts';
import type { WireInteger } from '#shared/schemas/common.ts';
import type { RunProgress } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { findObjectives } from './objectives.ts';

/** What a run says of itself, from which its progress begins. */
export interface StartedRun {
  runId: string;
  experimentId: string;
  status: string;
  startTime: string;
  maxIterations: WireInteger | null;
}

/** How far each of the RUNNING runs is, by run id; the others are missing. */
export async function findProgress(
  database: Database,
  runs: readonly StartedRun[],
  nowMillis = Date.now(),
): Promise<Map<string, RunProgress>> {
  const running = runs.filter(isRunning);
  if (running.length === 0) return new Map();
  const ids = running.map(({ runId }) => runId);
  const rows = Map.groupBy(await progress.listNewestRows(database, ids), ({ runId }) => runId);
  const ranges = await progress.listFitnessRanges(database, ids);
  const rangeOf = new Map(ranges.map((range) => [range.runId, range]));
  const objectives = await findObjectives(
    database,
    running.map(({ experimentId }) => experimentId),
  );
  return new Map(
    running.map((run) => {
      const range = rangeOf.get(run.runId);
      const isMax = objectives.get(run.experimentId)?.direction === 'max';
      const bestSoFar = (isMax ? range?.highest : range?.lowest) ?? null;
      return [run.runId, progressOf(run, rows.get(run.runId) ?? [], bestSoFar, nowMillis)];
    }),
  );
}

/** Progress by a run's newest rows, oldest first; without any, its start is its last activity. */
export function progressOf(
  run: StartedRun,
  rows: readonly progress.NewestRow[],
  bestSoFar: number | null,
  nowMillis: number,
): RunProgress {
  const newest = rows.at(-1);
  const gap = medianGapMillis(rows);
  return {
    iteration: newest?.iteration ?? null,
    maxIterations: run.maxIterations,
    evaluations: newest?.evaluations ?? null,
    bestSoFar,
    meanFitness: newest?.meanFitness ?? null,
    lastActivityAt: lastActivityOf(run.startTime, rows),
    secondsPerIteration: gap === null ? null : gap / 1_000,
    silent: isSilentRun(run.startTime, rows, nowMillis),
  };
}
