import type { StoredInteger } from '#server/db/schema.ts';
import type { Direction } from '#server/domain/objective.ts';
import { type RunTrace, getTrace } from '#server/domain/trace.ts';
import {
  type FlatAttribute,
  type ListedRun,
  type Scenario,
  removeExtension,
} from '#server/import/formats/indexes.ts';
import type { Block, DataFile, LoggerFormat } from './formats/data-file.ts';
import type { NoteBook } from './notes.ts';
import { getBaseName } from './source/entry.ts';
import { toCocoSuite, findFunctionName, toIohprofilerSuite, isBbobSuite } from './suites.ts';

/**
 * A run with its rows: one block from each data file that contains rows of the run. It may be missing in all indexes.
 */
export interface JoinedRun {
  scenario: Scenario;
  format: LoggerFormat;
  /** Number of the problem instance; null if neither an index nor a data file states it. */
  instance: number | null;
  /** The `evaluations` of the {@link ListedRun}; 0 if no index lists the run. */
  listedEvaluations: number;
  isFinalised: boolean;
  /**
   * Whether a logger may still write the run. Then the files grow, and one of these applies: no index lists the run; or
   * the index does not state the end of the run, and no run follows in the files.
   */
  isRunning: boolean;
  /**
   * Path of the data files without extension, and position of the run in them, from 0. Constant while the files only
   * grow.
   */
  origin: string;
  blocks: readonly Block[];
  modifiedAt: Date;
}

/**
 * Joins the runs of the indexes with the blocks of the data files, see {@link locateRuns}. Reads `.dat` and `.tdat`
 * files; reads other data files only if there are none of these. Skips duplicates (see {@link omitDuplicates}) and runs
 * without a block or without rows, with notes. Blocks without a listed run also become runs, with an unknown instance
 * if the block does not state it. Skips files that no index names, with a note unless an index names them by a refused
 * path. Adds the notes of the other files. `isGrowing` states that a logger may still write the files.
 */
export function joinRuns(
  allScenarios: readonly Scenario[],
  dataFiles: readonly DataFile[],
  notes: NoteBook,
  isGrowing = false,
): JoinedRun[] {
  const filesByPath = Map.groupBy(dataFiles, ({ path }) => removeExtension(path));
  const scenarios = omitDuplicates(allScenarios, filesByPath, notes);
  const scenariosByData = Map.groupBy(scenarios, ({ data }) => data);
  const refusedNames = new Set((scenariosByData.get(null) ?? []).map(({ dataName }) => dataName));
  for (const [data, files] of filesByPath) {
    if (scenariosByData.has(data)) for (const file of files) notes.addAll(file.notes.list());
    else if (!refusedNames.has(getBaseName(data))) noteUnlistedFiles(files, notes);
  }
  const positionsByData = new Map<string, number[]>();
  const joinedRuns = scenarios.filter(hasPath).map((scenario) => {
    const files = chooseFiles(filesByPath.get(scenario.data) ?? []);
    const listedPositions = positionsByData.get(scenario.data) ?? [];
    const positions = locateRuns(scenario.runs, files, (listedPositions.at(-1) ?? -1) + 1);
    for (const position of positions) listedPositions.push(position);
    positionsByData.set(scenario.data, listedPositions);
    if (files.length > 0)
      return { scenario, runs: joinListedRuns(scenario, files, positions, notes, isGrowing) };
    const count = scenario.runs.length;
    notes.add('MISSING_DATA_FILE', { file: scenario.data, line: undefined, count });
    return { scenario, runs: [] };
  });
  return joinedRuns.flatMap(({ scenario, runs }) => {
    if (scenariosByData.get(scenario.data)?.at(-1) !== scenario) return runs;
    const files = chooseFiles(filesByPath.get(scenario.data) ?? []);
    const listedPositions = new Set(positionsByData.get(scenario.data));
    return [...runs, ...joinUnlistedRuns(scenario, files, listedPositions, notes, isGrowing)];
  });
}

/**
 * Returns the scenarios without repeated ones, and adds a note about each omitted one. Retains repeated scenarios if
 * their data files have a block for each listed run, because equal lines may also describe several equal runs.
 */
function omitDuplicates(
  scenarios: readonly Scenario[],
  filesByPath: ReadonlyMap<string, readonly DataFile[]>,
  notes: NoteBook,
): Scenario[] {
  const runCounts = new Map<string | null, number>();
  for (const { data, runs } of scenarios)
    runCounts.set(data, (runCounts.get(data) ?? 0) + runs.length);
  return scenarios.filter(({ isRepeated = false, data, file, line }) => {
    if (!isRepeated) return true;
    const files = chooseFiles(filesByPath.get(data ?? '') ?? []);
    if (countBlocks(files) >= (runCounts.get(data) ?? 0)) return true;
    notes.add('DUPLICATE_ENTRY', { file, line: line ?? undefined });
    return false;
  });
}

/**
 * Returns the positions of listed runs in their data files, in ascending order from `firstPosition`. The first block of
 * a file belongs to the first run that an index lists for it, and so on. If the files have more blocks, and the index
 * states the best row of each run, each run belongs to the next block with its best row. This applies only if every run
 * has such a block. IOHprofiler 0.4 omits runs from the index if its triggers do not log their first evaluation.
 */
function locateRuns(
  runs: readonly ListedRun[],
  files: readonly DataFile[],
  firstPosition: number,
): number[] {
  const consecutivePositions = runs.map((_, index) => firstPosition + index);
  const end = countBlocks(files);
  const hasBestRows = runs.every(({ best }) => best !== undefined);
  if (end <= firstPosition + runs.length || !hasBestRows) return consecutivePositions;
  const positions: number[] = [];
  for (const run of runs) {
    let position = (positions.at(-1) ?? firstPosition - 1) + 1;
    while (position < end && !hasRowsOf(run, getBlocksAt(files, position))) position += 1;
    if (position === end) return consecutivePositions;
    positions.push(position);
  }
  return positions;
}

/**
 * Returns whether a block contains the best row of a listed run and ends with its evaluations; false without a best
 * row.
 */
function hasRowsOf({ best, evaluations }: ListedRun, blocks: readonly Block[]): boolean {
  if (!best) return false;
  // An index states all digits of a value. A data file has only 10 decimals, or 6 in older versions.
  const tolerance = 1e-6 * Math.max(1, Math.abs(best.value));
  return blocks.some((block) => {
    const index = block.evaluations.indexOf(best.evaluations);
    const difference = Math.abs((block.values[index] ?? NaN) - best.value);
    return block.evaluations.at(-1) === evaluations && difference <= tolerance;
  });
}

function countBlocks(files: readonly DataFile[]): number {
  return Math.max(0, ...files.map(({ blocks }) => blocks.length));
}

function hasPath(scenario: Scenario): scenario is Scenario & { data: string } {
  return scenario.data !== null;
}

function noteUnlistedFiles(files: readonly DataFile[], notes: NoteBook): void {
  for (const { path, blocks } of files)
    notes.add(blocks.length === 0 ? 'EMPTY_FILE' : 'UNLISTED_DATA_FILE', { file: path });
}

/**
 * Returns the `.dat` files (rows per target), then the `.tdat` files (rows per budget); other files if there are
 * neither.
 */
function chooseFiles(files: readonly DataFile[]): DataFile[] {
  const usualFiles = files.filter(({ path }) => /\.t?dat$/i.test(path));
  return [...(usualFiles.length > 0 ? usualFiles : files)].sort(compareDatFirst);
}

/**
 * Orders files whose paths differ only in the extension: `.dat` before `.tdat`, independently of their order in the
 * source.
 */
function compareDatFirst(a: DataFile, b: DataFile): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

function joinListedRuns(
  scenario: Scenario,
  files: readonly DataFile[],
  positions: readonly number[],
  notes: NoteBook,
  isGrowing: boolean,
): JoinedRun[] {
  for (const { path, blocks } of files) {
    const missingCount = positions.filter((position) => position >= blocks.length).length;
    if (missingCount > 0) notes.add('RUN_COUNT_MISMATCH', { file: path, count: missingCount });
  }
  return scenario.runs.flatMap((run, index) => {
    const position = positions[index] ?? NaN;
    const blocks = getBlocksAt(files, position);
    if (blocks.length === 0) return [];
    if (!run.isFinalised)
      notes.add('RUN_NOT_FINALISED', { file: scenario.file, line: scenario.line ?? undefined });
    const isLast = getBlocksAt(files, position + 1).length === 0;
    const isRunning = isGrowing && !run.isFinalised && isLast;
    return joinRun(scenario, { ...run, isRunning, position }, files, blocks, notes);
  });
}

/** Returns the runs that the logger has not written into the index, usually those after the listed runs. */
function joinUnlistedRuns(
  scenario: Scenario,
  files: readonly DataFile[],
  listedPositions: ReadonlySet<number>,
  notes: NoteBook,
  isGrowing: boolean,
): JoinedRun[] {
  return Array.from({ length: countBlocks(files) }).flatMap((_, position) => {
    if (listedPositions.has(position)) return [];
    const blocks = getBlocksAt(files, position);
    const instance = blocks.find((block) => block.instance !== null)?.instance ?? null;
    if (instance === null) notes.add('INSTANCE_UNKNOWN', { file: files[0]?.path });
    const run = { instance, evaluations: 0, isFinalised: false, isRunning: isGrowing, position };
    return joinRun(scenario, run, files, blocks, notes);
  });
}

function getBlocksAt(files: readonly DataFile[], index: number): Block[] {
  return files.flatMap(({ blocks }) => blocks[index] ?? []);
}

function joinRun(
  scenario: Scenario,
  run: Omit<ListedRun, 'instance'> & {
    instance: number | null;
    isRunning: boolean;
    position: number;
  },
  files: readonly DataFile[],
  blocks: readonly Block[],
  notes: NoteBook,
): JoinedRun[] {
  const blocksWithRows = blocks.filter(({ evaluations }) => evaluations.length > 0);
  const [firstBlock] = blocksWithRows;
  if (!firstBlock) {
    notes.add('RUN_WITHOUT_ROWS', { file: files[0]?.path });
    return [];
  }
  return [
    {
      scenario,
      format: firstBlock.format,
      instance: run.instance,
      listedEvaluations: run.evaluations,
      isFinalised: run.isFinalised,
      isRunning: run.isRunning,
      origin: `${scenario.data ?? ''} ${run.position}`,
      blocks: blocksWithRows,
      modifiedAt: files[0]?.modifiedAt ?? new Date(0),
    },
  ];
}

/**
 * The runs of one algorithm on one function in one dimension; in tables, with one setting. Each group becomes an
 * experiment.
 */
export interface RunGroup {
  format: LoggerFormat | 'table';
  algorithm: string;
  attributes: Readonly<Record<string, FlatAttribute>>;
  /** Attributes that distinguish problems of one name, such as their rotation; usually empty. */
  problemAttributes: Readonly<Record<string, FlatAttribute>>;
  /** The suite; null for data of pycma, and for runs of tables that state neither a suite nor instances. */
  suite: string | null;
  /** Id of the function: digits or other text. */
  functionId: string;
  functionName: string | null;
  /** Number of dimensions; null if the data do not state it. */
  dimension: number | null;
  direction: Direction;
  /**
   * Returns the same group in the opposite direction. Absent in groups of loggers, and if the table or the user states
   * the direction.
   */
  getReversedGroup?: () => RunGroup;
  /** Assumption about the direction; absent if there is none. All groups of a problem have the same object. */
  assumption?: DirectionAssumption;
  /**
   * The difference from the optimum that solves a function of COCO or of a suite of BBOB; null for other functions, and
   * for maximised functions, whose values are not such differences.
   */
  precision: number | null;
  /**
   * Runs of loggers are in the order of their scenarios. Runs of tables are in the order of their instances, then
   * seeds.
   */
  runs: ImportedRun[];
}

/** The assumption about the direction of a problem in tables. */
export interface DirectionAssumption {
  /** Path of the first table of the problem. */
  file: string | undefined;
}

/** A run to write. */
export interface ImportedRun {
  /** Number of the problem instance; 0 if it is unknown. */
  instance: number;
  /**
   * The seed if the data state it, otherwise the instance. If all seeds of a table are 1, they count as missing. A run
   * of a table without seed and instance has 1. A run of a table with an invalid seed or −1 has its number in the
   * group, from 1. A seed outside ±(2^53 − 1) is a text of decimal digits.
   */
  seed: StoredInteger;
  /** Number from 1 among the runs with the same instance and {@link getPairing}, in the order of the group. */
  repetition: number;
  /** Trace whose `usedEvaluations` is the larger of the stated number of evaluations and the number in the last row. */
  trace: RunTrace;
  /** The digits of evaluations beyond 2^53 − 1, by their numbers in the trace; null if there are none. */
  exactCounts: ReadonlyMap<number, string> | null;
  isFinalised: boolean;
  /** Whether a logger may still write the run, see {@link JoinedRun}; absent in tables. */
  isRunning?: boolean;
  /** Identity of the run in growing files, see {@link JoinedRun}; absent in tables. */
  origin?: string;
  modifiedAt: Date;
}

/** Returns the number that pairs runs of different groups: the instance, or the seed if the instance is 0 (unknown). */
export function getPairing({
  instance,
  seed,
}: Pick<ImportedRun, 'instance' | 'seed'>): StoredInteger {
  return instance === 0 ? seed : instance;
}

/** Returns the runs in their order, numbered from 1 among those with the same instance and {@link getPairing}. */
export function numberRepetitions<Run extends Pick<ImportedRun, 'instance' | 'seed'>>(
  runs: readonly Run[],
): (Run & { repetition: number })[] {
  const counts = new Map<string, number>();
  return runs.map((run) => {
    const key = `${run.instance} ${getPairing(run)}`;
    const repetition = (counts.get(key) ?? 0) + 1;
    counts.set(key, repetition);
    return { ...run, repetition };
  });
}

/** Rows of a run; evaluations never decrease. */
export interface Rows {
  evaluations: ArrayLike<number>;
  values: ArrayLike<number>;
}

/**
 * Returns the trace of a run from the rows of all its files. `usedEvaluations` is the number of evaluations that the
 * data state; if the number in the last row is larger, it applies instead. Without rows, the trace has no improvements.
 */
export function makeTrace(
  lists: readonly Rows[],
  direction: Direction,
  usedEvaluations: number,
): RunTrace {
  const { evaluations, values } = lists.reduce<Rows>(merge, { evaluations: [], values: [] });
  const pairs = new Float64Array(2 * evaluations.length);
  for (let row = 0; row < evaluations.length; row += 1) {
    pairs[2 * row] = evaluations[row] ?? 0;
    pairs[2 * row + 1] = values[row] ?? NaN;
  }
  const trace = getTrace(pairs, direction);
  return { ...trace, usedEvaluations: Math.max(usedEvaluations, trace.usedEvaluations) };
}

/** Merges two lists sorted by evaluations. If rows have equal evaluations, the rows of `a` come first. */
function merge(a: Rows, b: Rows): Rows {
  if (a.evaluations.length === 0) return b;
  const evaluations: number[] = [];
  const values: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.evaluations.length || j < b.evaluations.length) {
    const [evaluationA, evaluationB] = [a.evaluations[i] ?? Infinity, b.evaluations[j] ?? Infinity];
    if (evaluationA <= evaluationB && i < a.evaluations.length) {
      evaluations.push(evaluationA);
      values.push(a.values[i] ?? Number.NaN);
      i += 1;
    } else {
      evaluations.push(evaluationB);
      values.push(b.values[j] ?? Number.NaN);
      j += 1;
    }
  }
  return { evaluations, values };
}

/** Returns whether a run used evaluations after its last improvement. Its data then state its budget. */
export function hasRowsAfterBest({ evaluations, usedEvaluations }: RunTrace): boolean {
  return usedEvaluations > (evaluations.at(-1) ?? 0);
}

/** Returns the number of rows that a trace has in the table `iterations`; see {@link getRows}. */
export function countRows(trace: RunTrace): number {
  return trace.best.length + Number(trace.best.length > 0 && hasRowsAfterBest(trace));
}

/**
 * Returns the rows of a trace: its improvements, and the best value at the used evaluations if the last improvement is
 * earlier. A trace without improvements has no rows.
 */
export function getRows(trace: RunTrace): Rows {
  const { evaluations, best, usedEvaluations } = trace;
  if (countRows(trace) === best.length) return { evaluations, values: best };
  return {
    evaluations: append(evaluations, usedEvaluations),
    values: append(best, best.at(-1) ?? NaN),
  };
}

function append(numbers: Float64Array, lastNumber: number): Float64Array {
  const extendedNumbers = new Float64Array(numbers.length + 1);
  extendedNumbers.set(numbers);
  extendedNumbers[numbers.length] = lastNumber;
  return extendedNumbers;
}

/**
 * Groups the runs of loggers by algorithm, suite, function and dimension, each with its trace. Data of COCO and data of
 * other loggers form separate groups. The direction of data of COCO is minimisation. For other data, the first
 * direction that an index states for a run of the group applies to the whole group, with a note if an index states the
 * other one. If no index states a direction, it is minimisation for suites with `bbob` in their names, and
 * `defaultDirection` for other data. If `defaultDirection` is undefined, it is maximisation, with a note. Also adds
 * notes about values of an indicator, and about final values of 0 in suites of BBOB.
 */
export function groupRuns(
  joinedRuns: readonly JoinedRun[],
  notes: NoteBook,
  defaultDirection?: Direction,
): RunGroup[] {
  if (joinedRuns.some(({ format }) => format === 'coco-indicator')) notes.add('INDICATOR_VALUES');
  const runsWithKeys = joinedRuns.map((run) => ({ run, key: getKey(run) }));
  const groups = Map.groupBy(runsWithKeys, ({ key }) => JSON.stringify(key));
  return [...groups.values()].flatMap((members) => {
    const [firstMember] = members;
    return firstMember
      ? [
          getGroup(
            firstMember.key,
            members.map(({ run }) => run),
            notes,
            defaultDirection,
          ),
        ]
      : [];
  });
}

interface GroupKey {
  isCoco: boolean;
  algorithm: string;
  suite: string;
  functionId: string;
  functionName: string | null;
  dimension: number;
}

function getKey({ scenario, format }: JoinedRun): GroupKey {
  const { algorithm, functionId, dimension } = scenario;
  const isCoco = format.startsWith('coco');
  const suite = isCoco
    ? toCocoSuite(scenario.suite, functionId, format === 'coco-indicator')
    : toIohprofilerSuite(scenario.suite, functionId, scenario.functionName);
  const functionName = findFunctionName(suite, functionId) ?? scenario.functionName;
  return { isCoco, algorithm, suite, functionId, functionName, dimension };
}

function getGroup(
  { isCoco, ...key }: GroupKey,
  joinedRuns: readonly JoinedRun[],
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): RunGroup {
  const direction = getDirection(isCoco, key, joinedRuns, notes, defaultDirection);
  const runs = numberRepetitions(joinedRuns.map((run) => getRun(run, direction)));
  if (!isCoco && direction === 'min' && isBbobSuite(key.suite))
    noteRounding(joinedRuns, runs, notes);
  return {
    ...key,
    format: joinedRuns[0]?.format ?? 'iohprofiler',
    attributes: findCommonAttributes(joinedRuns),
    problemAttributes: {},
    direction,
    precision:
      direction === 'min' && (isCoco || isBbobSuite(key.suite))
        ? (getPrecision(joinedRuns) ?? 1e-8)
        : null,
    runs,
  };
}

function getDirection(
  isCoco: boolean,
  { suite, functionId }: Pick<GroupKey, 'suite' | 'functionId'>,
  joinedRuns: readonly JoinedRun[],
  notes: NoteBook,
  defaultDirection: Direction | undefined,
): Direction {
  if (isCoco) return 'min';
  const scenarios = [...new Set(joinedRuns.map(({ scenario }) => scenario))];
  const [direction, otherDirection] = new Set(
    scenarios.flatMap((scenario) => scenario.direction ?? []),
  );
  if (otherDirection) {
    const conflict = scenarios.find((scenario) => scenario.direction === otherDirection);
    notes.add('DIRECTIONS_CONFLICT', { file: conflict?.file, detail: `f${functionId}` });
  }
  if (direction) return direction;
  if (/bbob/i.test(suite)) return 'min';
  if (defaultDirection) return defaultDirection;
  const file = joinedRuns[0]?.scenario.file;
  notes.add('DIRECTION_ASSUMED', { file, detail: `f${functionId}: assumed maximisation` });
  return 'max';
}

function getPrecision(joinedRuns: readonly JoinedRun[]): number | null {
  return joinedRuns.find(({ scenario }) => scenario.precision !== null)?.scenario.precision ?? null;
}

/**
 * Returns the attributes that are equal for all these runs. Indexes of one experiment may differ in other attributes.
 */
function findCommonAttributes(joinedRuns: readonly JoinedRun[]): RunGroup['attributes'] {
  const distinctAttributes = new Set(joinedRuns.map(({ scenario }) => scenario.attributes));
  const [firstAttributes = {}, ...otherAttributes] = distinctAttributes;
  const commonAttributes = Object.entries(firstAttributes).filter(([name, value]) =>
    otherAttributes.every((attributes) => attributes[name] === value),
  );
  return Object.fromEntries(commonAttributes);
}

function getRun(run: JoinedRun, direction: Direction): Omit<ImportedRun, 'repetition'> {
  const instance = run.instance ?? 0;
  const exactCounts = run.blocks.flatMap((block) => [...(block.exactCounts ?? [])]);
  return {
    instance,
    seed: run.blocks.find(({ seed }) => seed !== null)?.seed ?? instance,
    trace: makeTrace(run.blocks, direction, run.listedEvaluations),
    exactCounts: exactCounts.length > 0 ? new Map(exactCounts) : null,
    isFinalised: run.isFinalised,
    isRunning: run.isRunning,
    origin: run.origin,
    modifiedAt: run.modifiedAt,
  };
}

/** Adds a note about final values of 0: IOHprofiler prints 6 or 10 decimals, so it prints smaller values as 0. */
function noteRounding(
  joinedRuns: readonly JoinedRun[],
  runs: readonly ImportedRun[],
  notes: NoteBook,
): void {
  const count = runs.filter(({ trace }) => trace.best.at(-1) === 0).length;
  if (count > 0) notes.add('RESOLUTION', { file: joinedRuns[0]?.scenario.file, count });
}
