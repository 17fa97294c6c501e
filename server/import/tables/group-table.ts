import type { StoredInteger } from '#server/db/schema.ts';
import { getTraceDirection, type Direction } from '#server/domain/objective.ts';
import type { NoteBook } from '../notes.ts';
import {
  type ImportedRun,
  numberRepetitions,
  type RunGroup,
  hasRowsAfterBest,
  makeTrace,
} from '#server/import/run-groups.ts';
import { findFunctionName, isBbobLike, unknownSuite } from '../suites.ts';
import type { Table, TableRun } from './read-table.ts';

/**
 * Groups the runs of a table by algorithm with its parameters, problem and dimension, each with its trace. The order of
 * the rows does not matter. The direction is that of the column, otherwise `defaultDirection`. Without both, it is
 * minimisation for suites of BBOB and for tables without traces, otherwise the direction in which the values of most
 * runs change; minimisation in a tie.
 */
export function groupTable(
  table: Table,
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): RunGroup[] {
  const runsWithValues = table.runs.filter(({ values }) => values.length > 0);
  const groups = Map.groupBy(runsWithValues, (run) => {
    const { algorithm, problem, dimension, attributes, problemAttributes } = run;
    return JSON.stringify([algorithm, problem, dimension, attributes, problemAttributes]);
  });
  return [...groups.values()].flatMap(
    (runs) => getGroup(table, runs, notes, defaultDirection) ?? [],
  );
}

function getGroup(
  table: Table,
  members: readonly TableRun[],
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): RunGroup | null {
  const [firstRun] = members;
  if (!firstRun) return null;
  const runs = members.map(sortRows).sort(compareByInstanceAndSeed);
  noteReplacedSeeds(table.file, runs, notes);
  const { suite, functionId } = parseProblem(firstRun.problem);
  const hasInstances = runs.some(({ instance }) => instance !== null);
  // Seeds that are all 1, the value in tables without seeds, do not distinguish runs, so the instances pair the runs.
  const hasSeeds = table.runs.some(({ seed }) => seed !== null && seed !== '1');
  const direction = getDirection(table, runs, suite, notes, defaultDirection);
  const importedRuns = numberRepetitions(
    runs.map((run, index) => ({
      ...getRun(run, direction, table.modifiedAt),
      seed:
        (hasSeeds && run.seed !== null ? null : run.instance) ??
        parseSeed(run.seed ?? '1') ??
        index + 1,
    })),
  );
  const precision = suite !== null && isBbobLike(suite) ? 1e-8 : null;
  const unsolvedRuns = importedRuns.filter(
    ({ trace }) => (trace.best.at(-1) ?? 0) > (precision ?? -Infinity),
  );
  if (table.kind === 'trace') noteUnknownBudgets(table.file, unsolvedRuns, notes);
  return {
    format: 'table',
    algorithm: firstRun.algorithm,
    attributes: firstRun.attributes,
    problemAttributes: firstRun.problemAttributes,
    suite: suite ?? (hasInstances ? unknownSuite : null),
    functionId,
    functionName: suite === null ? null : findFunctionName(suite, functionId),
    dimension: firstRun.dimension,
    direction,
    precision,
    runs: importedRuns,
  };
}

/**
 * Splits the name of a problem: `bbob-f8` is function 8 of bbob, `f8` and `8` are function 8 of no suite, other text is
 * the id.
 */
function parseProblem(problem: string): { suite: string | null; functionId: string } {
  const [, suite, functionId] = /^(?:(.+)-)?f?(\d+)$/i.exec(problem) ?? [];
  return { suite: suite ?? null, functionId: functionId ?? problem };
}

/** Sorts the rows of a run by evaluations. Rows with equal evaluations keep their order. */
function sortRows(run: TableRun): TableRun {
  const order = run.evaluations
    .map((_, index) => index)
    .sort((a, b) => (run.evaluations[a] ?? 0) - (run.evaluations[b] ?? 0));
  return {
    ...run,
    evaluations: order.map((index) => run.evaluations[index] ?? 0),
    values: order.map((index) => run.values[index] ?? 0),
  };
}

const textOrder = new Intl.Collator('en', { numeric: true });

/**
 * Orders runs by instance, then seed, integers before other text, so that the order of the rows does not change the
 * numbers of the runs.
 */
function compareByInstanceAndSeed(a: TableRun, b: TableRun): number {
  const instanceDifference = (a.instance ?? 0) - (b.instance ?? 0);
  if (instanceDifference !== 0) return instanceDifference;
  const [seedA, seedB] = [parseSeed(a.seed), parseSeed(b.seed)];
  const kindDifference = Number(seedA === null) - Number(seedB === null);
  if (kindDifference !== 0) return kindDifference;
  const difference = BigInt(seedA ?? 0) - BigInt(seedB ?? 0);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return textOrder.compare(a.seed ?? '', b.seed ?? '');
}

function getDirection(
  { file, kind }: Table,
  runs: readonly TableRun[],
  suite: string | null,
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): Direction {
  const statedDirection =
    runs.find(({ direction }) => direction !== null)?.direction ?? defaultDirection;
  if (statedDirection) return statedDirection;
  const isMinimised = kind === 'final' || (suite !== null && isBbobLike(suite));
  if (isMinimised) return 'min';
  const gains = runs.map(({ values }) => (values.at(-1) ?? 0) - (values[0] ?? 0));
  const observedDirection = kind === 'trace' ? getTraceDirection(gains) : null;
  if (observedDirection) return observedDirection;
  notes.add('DIRECTION_ASSUMED', { file, detail: 'assumed minimisation' });
  return 'min';
}

function getRun(
  run: TableRun,
  direction: Direction,
  modifiedAt: Date,
): Omit<ImportedRun, 'repetition' | 'seed'> {
  return {
    instance: run.instance ?? 0,
    trace: makeTrace([run], direction, run.usedEvaluations),
    exactCounts: null,
    isFinalised: true,
    modifiedAt,
  };
}

/** Returns the 64-bit integer in a cell with all its digits; null for anything else and for −1, which means no seed. */
function parseSeed(text: string | null): StoredInteger | null {
  const digits = text ?? '';
  if (!/^[+-]?\d+$/.test(digits)) {
    const number = Number(digits || Number.NaN);
    return Number.isSafeInteger(number) && number >= 0 ? number : null;
  }
  const seed = BigInt(digits.replace('+', ''));
  if (seed === -1n || BigInt.asIntN(64, seed) !== seed) return null;
  return Number.isSafeInteger(Number(seed)) ? Number(seed) : String(seed);
}

function noteReplacedSeeds(file: string, runs: readonly TableRun[], notes: NoteBook): void {
  const isTooLarge = (seed: string | null): boolean =>
    /^[+-]?\d+$/.test(seed ?? '') && seed !== '-1' && parseSeed(seed) === null;
  const count = runs.filter(({ seed }) => isTooLarge(seed)).length;
  if (count > 0) notes.add('SEED_REPLACED', { file, count });
}

function noteUnknownBudgets(file: string, runs: readonly ImportedRun[], notes: NoteBook): void {
  const count = runs.filter(({ trace }) => !hasRowsAfterBest(trace)).length;
  if (count > 0) notes.add('BUDGET_UNKNOWN', { file, count });
}
