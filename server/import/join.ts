import type { LoggerFormat, Block, DataFile } from './formats/data-file.ts';
import { withoutEnding } from './formats/info-index.ts';
import type { ListedRun, Scenario } from './formats/scenario.ts';
import type { NoteBook } from './notes.ts';
import { baseName } from './source/entry.ts';

/** A run of an index with its rows, one block of each data file that holds it. */
export interface JoinedRun {
  scenario: Scenario;
  format: LoggerFormat;
  /** Null where no index says. */
  instance: number | null;
  /** As the index states them; 0 where it does not. */
  listedEvaluations: number;
  isFinalised: boolean;
  blocks: readonly Block[];
  modifiedAt: Date;
}

/**
 * Puts the runs of the indexes and the blocks of the data files together: the first block belongs to the first
 * run that an index lists for the file, and so on. Runs without a block are noted and left out, blocks without
 * a run are kept as runs of an unknown instance, files that no index names are noted.
 */
export function joinRuns(
  scenarios: readonly Scenario[],
  dataFiles: readonly DataFile[],
  notes: NoteBook,
): JoinedRun[] {
  const filesByPath = Map.groupBy(dataFiles, ({ path }) => withoutEnding(path));
  const listed = Map.groupBy(scenarios, ({ data }) => data);
  const refused = new Set((listed.get(null) ?? []).map(({ dataName }) => dataName));
  for (const [data, files] of filesByPath) {
    if (listed.has(data)) for (const file of files) notes.addAll(file.notes.list());
    else if (!refused.has(baseName(data))) noteUnlisted(files, notes);
  }
  const taken = new Map<string, number>();
  const joined = scenarios.filter(hasPath).map((scenario) => {
    const files = chooseFiles(filesByPath.get(scenario.data) ?? []);
    const from = taken.get(scenario.data) ?? 0;
    taken.set(scenario.data, from + scenario.runs.length);
    if (files.length > 0) return { scenario, runs: listedRuns(scenario, files, from, notes) };
    const count = scenario.runs.length;
    notes.add('MISSING_DATA_FILE', { file: scenario.data, line: undefined, count });
    return { scenario, runs: [] };
  });
  return joined.flatMap(({ scenario, runs }) => {
    if (listed.get(scenario.data)?.at(-1) !== scenario) return runs;
    const files = chooseFiles(filesByPath.get(scenario.data) ?? []);
    return [...runs, ...unlistedRuns(scenario, files, taken.get(scenario.data) ?? 0, notes)];
  });
}

function hasPath(scenario: Scenario): scenario is Scenario & { data: string } {
  return scenario.data !== null;
}

function noteUnlisted(files: readonly DataFile[], notes: NoteBook): void {
  for (const { path, blocks } of files)
    notes.add(blocks.length === 0 ? 'EMPTY_FILE' : 'UNLISTED_DATA_FILE', { file: path });
}

/** Rows per target and per budget; the files that other loggers write instead only where both are missing. */
function chooseFiles(files: readonly DataFile[]): DataFile[] {
  const usual = files.filter(({ path }) => /\.t?dat$/i.test(path));
  return [...(usual.length > 0 ? usual : files)].sort(datFirst);
}

/** `.dat` before `.tdat`, whichever an archive has first. */
function datFirst(a: DataFile, b: DataFile): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

function listedRuns(
  scenario: Scenario,
  files: readonly DataFile[],
  from: number,
  notes: NoteBook,
): JoinedRun[] {
  for (const { path, blocks } of files) {
    const missing = Math.min(from + scenario.runs.length - blocks.length, scenario.runs.length);
    if (missing > 0) notes.add('RUN_COUNT_MISMATCH', { file: path, count: missing });
  }
  return scenario.runs.flatMap((run, index) => {
    const blocks = blocksAt(files, from + index);
    if (blocks.length === 0) return [];
    if (!run.isFinalised)
      notes.add('RUN_NOT_FINALISED', { file: scenario.file, line: scenario.line ?? undefined });
    return joinedRun(scenario, run, files, blocks, notes);
  });
}

/** The runs behind those that are listed: the logger was stopped before it could write them into the index. */
function unlistedRuns(
  scenario: Scenario,
  files: readonly DataFile[],
  from: number,
  notes: NoteBook,
): JoinedRun[] {
  const end = Math.max(0, ...files.map(({ blocks }) => blocks.length));
  return Array.from({ length: Math.max(0, end - from) }).flatMap((_, index) => {
    const blocks = blocksAt(files, from + index);
    const instance = blocks.find((block) => block.instance !== null)?.instance ?? null;
    if (instance === null) notes.add('INSTANCE_UNKNOWN', { file: files[0]?.path });
    const run = { instance, evaluations: 0, isFinalised: false };
    return joinedRun(scenario, run, files, blocks, notes);
  });
}

function blocksAt(files: readonly DataFile[], index: number): Block[] {
  return files.flatMap(({ blocks }) => blocks[index] ?? []);
}

function joinedRun(
  scenario: Scenario,
  run: Omit<ListedRun, 'instance'> & { instance: number | null },
  files: readonly DataFile[],
  blocks: readonly Block[],
  notes: NoteBook,
): JoinedRun[] {
  const withRows = blocks.filter(({ evaluations }) => evaluations.length > 0);
  const [first] = withRows;
  if (!first) {
    notes.add('RUN_WITHOUT_ROWS', { file: files[0]?.path });
    return [];
  }
  return [
    {
      scenario,
      format: first.format,
      instance: run.instance,
      listedEvaluations: run.evaluations,
      isFinalised: run.isFinalised,
      blocks: withRows,
      modifiedAt: files[0]?.modifiedAt ?? new Date(0),
    },
  ];
}
