import type { StoredInteger } from '#server/db/schema.ts';
import { getTraceDirection, type Direction } from '#server/domain/objective.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { NoteBook } from '../notes.ts';
import {
  type DirectionAssumption,
  type ImportedRun,
  numberRepetitions,
  type RunGroup,
  hasRowsAfterBest,
  makeTrace,
} from '#server/import/run-groups.ts';
import { findFunctionName, isBbobSuite, unknownSuite } from '../suites.ts';
import type { Table, TableRun } from './read-table.ts';

/** A run with its table. */
interface GroupMember {
  table: Table;
  run: TableRun;
  /** Whether a run of the table has an instance. */
  hasInstances: boolean;
  /** Whether the seeds of the table distinguish its runs. */
  hasSeeds: boolean;
}

/** The direction of a problem. */
interface ProblemDirection {
  direction: Direction;
  /** Whether the data or the user state the direction. */
  isStated: boolean;
  assumption?: DirectionAssumption;
}

/**
 * Groups the runs of tables by algorithm with parameters, by problem and by dimension, and computes the trace of each
 * run. Skips runs without rows. Sorts rows by evaluations, and runs by instance, then by seed. Runs of a group with the
 * same instance and seed are repetitions, in the order of the tables. If the name of the problem contains no suite,
 * tables with and without instances form separate groups. Adds notes about runs with an unknown budget, about seeds
 * outside 64 bits (the number of the run in its group replaces such a seed), and about groups for which the column of
 * the direction states both directions (the first one applies).
 *
 * All groups on a problem have the same direction, also in different dimensions: the first one in the column, otherwise
 * `defaultDirection`. A group for which the column states another direction has that direction. If neither the column
 * nor `defaultDirection` states one, the direction is minimisation for suites of BBOB and for problems with only final
 * values. For other problems, it is the direction in which the values of most runs in tables of traces change. In a
 * tie, and without such runs, this function assumes minimisation.
 */
export function groupTables(
  tables: readonly Table[],
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): RunGroup[] {
  const members = tables.flatMap((table) => {
    const hasInstances = table.runs.some(({ instance }) => instance !== null);
    // Seeds that are all missing or 1, the default, do not distinguish runs. Then the instances pair the runs.
    const hasSeeds = table.runs.some(({ seed }) => seed !== null && seed !== '1');
    return table.runs
      .filter(({ values }) => values.length > 0)
      .map((run): GroupMember => ({ table, run, hasInstances, hasSeeds }));
  });
  const directions = new Map(
    [...Map.groupBy(members, ({ run }) => getDirectionKey(run))].map(([key, problemMembers]) => [
      key,
      getDirection(problemMembers, defaultDirection),
    ]),
  );
  const groups = Map.groupBy(members, ({ run, hasInstances }) => {
    const { algorithm, dimension, attributes, problemAttributes } = run;
    const problem = parseProblem(run.problem);
    return JSON.stringify([
      algorithm,
      problem,
      dimension,
      // The columns of another table may have another order.
      Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)),
      problemAttributes,
      // A suite in the name of a problem replaces the suite that depends on instances.
      problem.suite === null && hasInstances,
    ]);
  });
  return [...groups.values()].flatMap((group) => {
    const [firstMember] = group;
    const direction = firstMember && directions.get(getDirectionKey(firstMember.run));
    if (!direction) return [];
    const ownDirection = findStatedDirection(group) ?? direction.direction;
    noteOtherDirection(group, ownDirection, notes);
    return [getGroup(firstMember.run, group, notes, { ...direction, direction: ownDirection })];
  });
}

/** Returns the parts that identify a problem with one direction, as text. They are equal for the names `f8` and `8`. */
function getDirectionKey({ problem, problemAttributes }: TableRun): string {
  return JSON.stringify([parseProblem(problem), problemAttributes]);
}

function getGroup(
  firstRun: TableRun,
  unorderedMembers: readonly GroupMember[],
  notes: NoteBook,
  { direction, isStated, assumption }: ProblemDirection,
): RunGroup {
  const members = unorderedMembers
    .map((member) => ({ ...member, run: sortRows(member.run) }))
    .sort((a, b) => compareByInstanceAndSeed(a.run, b.run));
  noteReplacedSeeds(members, notes);
  const { suite, functionId } = parseProblem(firstRun.problem);
  const hasInstances = members.some(({ run }) => run.instance !== null);
  const importedRuns = numberRepetitions(
    members.map(({ table, run, hasSeeds }, index) => ({
      ...getRun(run, direction, table.modifiedAt),
      seed:
        (hasSeeds && run.seed !== null ? null : run.instance) ??
        parseSeed(run.seed ?? '1') ??
        index + 1,
    })),
  );
  const precision = direction === 'min' && suite !== null && isBbobSuite(suite) ? 1e-8 : null;
  const runsByTable = Map.groupBy(importedRuns.entries(), ([index]) => members[index]?.table);
  for (const [table, entries] of runsByTable) {
    if (table?.kind !== 'trace') continue;
    const unsolvedRuns = entries
      .map(([, run]) => run)
      .filter(({ trace }) => (trace.best.at(-1) ?? 0) > (precision ?? -Infinity));
    noteUnknownBudgets(table.file, unsolvedRuns, notes);
  }
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
    ...(assumption && { assumption }),
    ...(!isStated && {
      getReversedGroup: () =>
        getGroup(firstRun, unorderedMembers, new NoteBook(), {
          direction: direction === 'min' ? 'max' : 'min',
          isStated,
        }),
    }),
    precision,
    runs: importedRuns,
  };
}

/**
 * Splits the name of a problem. `bbob-f8` and `bbob-8` are function 8 of the suite `bbob`; `f8` and `8` are function 8
 * without a suite. Accepts `F` too. Any text before a hyphen and a number is a suite; the name of a suite of BBOB
 * becomes lower case. Other text is the id of a function without a suite.
 */
function parseProblem(problem: string): { suite: string | null; functionId: string } {
  const [, suite, functionId] = /^(?:(.+)-)?f?(\d+)$/i.exec(problem) ?? [];
  // The suites of BBOB have lower-case names.
  const isBbob = suite !== undefined && isBbobSuite(suite.toLowerCase());
  return {
    suite: isBbob ? suite.toLowerCase() : (suite ?? null),
    functionId: functionId ?? problem,
  };
}

/** Returns a run with its rows sorted by evaluations. Rows with equal evaluations remain in their order. */
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

/**
 * Orders runs by instance, then by seed, so the order of the rows does not change the numbers of the runs. A missing
 * instance counts as 0. Invalid and missing seeds are last, in the natural order of their texts.
 */
function compareByInstanceAndSeed(a: TableRun, b: TableRun): number {
  const instanceDifference = (a.instance ?? 0) - (b.instance ?? 0);
  if (instanceDifference !== 0) return instanceDifference;
  const [seedA, seedB] = [parseSeed(a.seed), parseSeed(b.seed)];
  if (seedA === null && seedB === null) return compareNaturally(a.seed ?? '', b.seed ?? '');
  if (seedA === null || seedB === null) return seedA === null ? 1 : -1;
  const difference = BigInt(seedA) - BigInt(seedB);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Returns the first direction that the tables state for these runs; null if they state none. */
function findStatedDirection(members: readonly GroupMember[]): Direction | null {
  return members.find(({ run }) => run.direction !== null)?.run.direction ?? null;
}

function noteOtherDirection(
  members: readonly GroupMember[],
  direction: Direction,
  notes: NoteBook,
): void {
  const conflict = members.find(({ run }) => run.direction !== null && run.direction !== direction);
  if (conflict)
    notes.add('DIRECTIONS_CONFLICT', { file: conflict.table.file, detail: conflict.run.problem });
}

function getDirection(
  members: readonly GroupMember[],
  defaultDirection: Direction | undefined,
): ProblemDirection {
  const statedDirection = findStatedDirection(members) ?? defaultDirection;
  if (statedDirection) return { direction: statedDirection, isStated: true };
  const { suite } = parseProblem(members[0]?.run.problem ?? '');
  const isMinimised =
    members.every(({ table }) => table.kind === 'final') || (suite !== null && isBbobSuite(suite));
  if (isMinimised) return { direction: 'min', isStated: false };
  const gains = members
    .filter(({ table }) => table.kind === 'trace')
    .map(({ run }) => getGain(run));
  const observedDirection = getTraceDirection(gains);
  if (observedDirection) return { direction: observedDirection, isStated: false };
  return { direction: 'min', isStated: false, assumption: { file: members[0]?.table.file } };
}

/** Returns the last value of a run minus its first one, in the order of {@link sortRows}. */
function getGain({ evaluations, values }: TableRun): number {
  let [firstRow, lastRow] = [0, 0];
  for (const [row, count] of evaluations.entries()) {
    if (count < (evaluations[firstRow] ?? 0)) firstRow = row;
    if (count >= (evaluations[lastRow] ?? 0)) lastRow = row;
  }
  return (values[lastRow] ?? 0) - (values[firstRow] ?? 0);
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

/**
 * Returns the 64-bit integer in a cell with all its digits. Accepts other forms, such as `1e3`, only for integers from
 * 0 to 2^53 − 1. Returns null for null, for any other text, and for −1, which means that there is no seed.
 */
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

function noteReplacedSeeds(members: readonly GroupMember[], notes: NoteBook): void {
  const isOutOfRange = (seed: string | null): boolean =>
    /^[+-]?\d+$/.test(seed ?? '') && seed !== '-1' && parseSeed(seed) === null;
  for (const { table, run } of members)
    if (isOutOfRange(run.seed)) notes.add('SEED_REPLACED', { file: table.file });
}

function noteUnknownBudgets(file: string, runs: readonly ImportedRun[], notes: NoteBook): void {
  const count = runs.filter(({ trace }) => !hasRowsAfterBest(trace)).length;
  if (count > 0) notes.add('BUDGET_UNKNOWN', { file, count });
}
