import { setImmediate as giveWay } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import { inBatches } from '#server/db/batches.ts';
import { listJudgedRuns, type JudgedRun, type RunsFilter } from '#server/repositories/runs.ts';
import { courseOf } from '#server/telemetry/diagnosis/model.ts';
import { isStagnant, isStillImproving } from '#server/telemetry/diagnosis/search-rules.ts';
import type { RunsQuery } from '#shared/schemas/run.ts';
import { isRunning, type SearchedDiagnosis } from '#shared/words.ts';
import { findObjectives } from './experiment-objectives.ts';
import { findProgress } from './run-progress.ts';

/** Runs that are judged before other work of the thread gets its turn. */
const runsAtOnce = 200;

/** What is said of a run, as long as its row stays as it is. */
interface Verdict {
  version: string;
  codes: readonly SearchedDiagnosis[];
}

/**
 * What was said of runs that have ended, by run id: their iterations stay as they are, and reading those of all runs
 * takes seconds. For each database of the thread.
 */
const verdictsOf = new WeakMap<Database['kysely'], Map<string, Verdict>>();

/** The filter with the ids of those runs of which any of the codes is said that the query names; without codes as it is. */
export async function withDiagnosis(
  database: Database,
  { diagnosis, ...filter }: RunsFilter & Pick<RunsQuery, 'diagnosis'>,
): Promise<RunsFilter> {
  if (diagnosis.length === 0) return filter;
  const runs = await listJudgedRuns(database, filter);
  const silent = diagnosis.includes('SILENT') ? await findSilent(database, runs) : [];
  const runIds = new Set(silent);
  if (diagnosis.some((code) => code !== 'SILENT')) {
    const verdicts = await judgeRuns(database, runs);
    for (const [runId, codes] of verdicts) {
      if (codes.some((code) => diagnosis.includes(code))) runIds.add(runId);
    }
  }
  return { ...filter, runIds: [...runIds] };
}

async function findSilent(database: Database, runs: readonly JudgedRun[]): Promise<string[]> {
  const running = runs.filter(isRunning).map((run) => ({ ...run, maxIterations: null }));
  return inBatches(running, runsAtOnce, async (some) => {
    const progress = await findProgress(database, some);
    return some.flatMap(({ runId }) => (progress.get(runId)?.silent ? runId : []));
  });
}

async function judgeRuns(
  database: Database,
  runs: readonly JudgedRun[],
): Promise<Map<string, readonly SearchedDiagnosis[]>> {
  const known = verdictsOf.get(database.kysely) ?? new Map<string, Verdict>();
  verdictsOf.set(database.kysely, known);
  const found = new Map<string, readonly SearchedDiagnosis[]>();
  const open: JudgedRun[] = [];
  for (const run of runs) {
    const verdict = known.get(run.runId);
    if (!isRunning(run) && verdict?.version === versionOf(run)) found.set(run.runId, verdict.codes);
    else open.push(run);
  }
  const judged = await inBatches(open, runsAtOnce, async (some) => {
    const verdicts = await judge(database, some);
    await giveWay();
    return verdicts;
  });
  for (const { run, codes } of judged) {
    known.set(run.runId, { version: versionOf(run), codes });
    found.set(run.runId, codes);
  }
  return found;
}

function versionOf(run: JudgedRun): string {
  const { experimentId, status, startTime, endTime, evaluations, bestFitness } = run;
  return `${experimentId} ${status} ${startTime} ${endTime} ${evaluations} ${bestFitness}`;
}

/** Judges runs by their traces; those whose experiment is missing have neither direction nor target, and no verdict. */
async function judge(
  database: Database,
  runs: readonly JudgedRun[],
): Promise<{ run: JudgedRun; codes: SearchedDiagnosis[] }[]> {
  const objectives = await findObjectives(
    database,
    runs.map(({ experimentId }) => experimentId),
  );
  const judged: { run: JudgedRun; codes: SearchedDiagnosis[] }[] = [];
  await database.dialect.readTraces(runs, (_runId, pairs) => {
    const run = runs[judged.length];
    const objective = run && objectives.get(run.experimentId);
    const bests = pairs.filter((_value, index) => index % 2 === 1);
    const codes = objective ? codesOf(run, bests, objective) : [];
    if (run) judged.push({ run, codes });
  });
  return judged;
}

function codesOf(
  { status, bestFitness }: JudgedRun,
  bests: Float64Array,
  { direction, targetFitness }: { direction: 'min' | 'max'; targetFitness: number | null },
): SearchedDiagnosis[] {
  const course = courseOf(bests, { direction, target: targetFitness, bestFitness });
  return [
    ...(course.isSolved ? (['TARGET_REACHED'] as const) : []),
    ...(isStagnant(course) ? (['STAGNATION'] as const) : []),
    ...(isStillImproving(course, status) ? (['STILL_IMPROVING'] as const) : []),
  ];
}
