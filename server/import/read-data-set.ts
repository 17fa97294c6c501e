import { createHash, type Hash } from 'node:crypto';
import type { Direction } from '#server/domain/objective.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import {
  nameAlgorithms,
  getCampaigns,
  getDirectionlessKey,
  getProblemTitle,
  type Campaign,
  type CampaignOptions,
  type DataSet,
  hasStatedBudget,
  listPooledPlaceholders,
} from './data-set.ts';
import {
  toPlainText,
  parseInfoIndex,
  parseJsonIndex,
  type Scenario,
  isUnusedPycmaFile,
  isPycmaIndex,
  joinPycmaIndexes,
  parsePycmaIndex,
} from '#server/import/formats/indexes.ts';
import { type DataFile, readDataFile } from './formats/data-file.ts';
import { NoteBook } from './notes.ts';
import { ImportRefusal } from './refusal.ts';
import { groupRuns, joinRuns, type RunGroup } from './run-groups.ts';
import {
  defaultLimits,
  type Entry,
  getFolder,
  isSystemFile,
  type Limits,
  Meter,
  readAll,
  UnreadableEntry,
} from './source/entry.ts';
import { type ImportSource, openSource, getSourceName } from './source/read-source.ts';
import { groupTables } from './tables/group-table.ts';
import type { ColumnChoice } from './tables/layout.ts';
import { readTable, type Table } from './tables/read-table.ts';
import { getTextStart } from '#shared/syntax.ts';

/** The options of an import. */
export interface ImportOptions extends ReadOptions {
  /** Name of the data set; default: the result of {@link getSourceName}. */
  name?: string | undefined;
  /** Whether to delete the stored data set of this name first. */
  replace?: boolean | undefined;
  /** Whether to report the changes that an import would make, and write nothing. */
  dryRun?: boolean | undefined;
  /** Whether to write even if a runner waits so long that its run may fail. */
  force?: boolean | undefined;
  /** Whether to also write the expected runtimes as reference results. */
  asReference?: boolean | undefined;
  /** Direction of data that do not state theirs, except data of COCO and data of loggers in suites of BBOB. */
  direction?: Direction | undefined;
  /** Evaluation budget of each run, for data that do not state how many evaluations it used. */
  budget?: number | undefined;
  /** New names of algorithms by their names in the source. */
  rename?: Readonly<Record<string, string>> | undefined;
  limits?: Limits | undefined;
}

/** The results of previous imports under the name of the data set. */
export interface PreviousImport {
  /** Names of algorithms by their names in the sources. */
  names: ReadonlyMap<string, string>;
  /** Whether an earlier version made one of these imports. It stored algorithms under their names in the source. */
  hasUnknownNames: boolean;
  /** Ids of the stored campaigns that belong only to the data set. */
  campaigns: ReadonlySet<string>;
  prefixes: Required<CampaignOptions>['storedPrefixes'];
  experiments: Required<CampaignOptions>['storedExperiments'];
  /** SHA-256 of the content of each of these imports, see {@link SourceContent}. */
  digests: ReadonlySet<string>;
}

/** The progress of an import. */
export interface ImportProgress {
  phase: 'reading' | 'writing';
  /** Number of read bytes of the source: packed while reading (approximate for a zip), unpacked while writing. */
  bytes: number;
  /** Size of the source in bytes, packed; null if unknown. Equal to `bytes` while writing. */
  totalBytes: number | null;
  /** Numbers of written runs and rows of iterations, and of all runs and rows to write; 0 while reading. */
  runs: number;
  totalRuns: number;
  rows: number;
  totalRows: number;
}

/**
 * Reads a source as a data set. Rejects with {@link ImportRefusal}:
 * - FORMAT_UNKNOWN: the source contains no known format, no run of the requested kind, or no run to replace stored ones
 * - NAME_TOO_LONG: the name of an algorithm, problem or parameter has more than 1,000 bytes
 * - BUDGET_TOO_SMALL: a run whose data state no budget used more evaluations than `options.budget`
 * - RENAME_INVALID: the source does not have a renamed algorithm, a new name is empty, or two algorithms get one name
 * - IMPORT_CONFLICT: the data set has a renamed algorithm under another name, without `options.replace`
 * - the errors of {@link openSource} and its entries for an unreadable or too large source
 *
 * Also rejects with the errors of the system, and with the reason of `signal` if it is aborted.
 */
export async function readDataSet(
  source: ImportSource,
  options: ImportOptions,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
  previousImport: PreviousImport = {
    names: new Map(),
    hasUnknownNames: false,
    campaigns: new Set(),
    prefixes: new Map(),
    experiments: [],
    digests: new Set(),
  },
): Promise<DataSet> {
  const notes = new NoteBook();
  const progress = { phase: 'reading' as const, bytes: 0, totalBytes: null as number | null };
  const onBytes = (bytes: number) => {
    signal.throwIfAborted();
    progress.bytes += bytes;
    onProgress({ ...progress, runs: 0, totalRuns: 0, rows: 0, totalRows: 0 });
  };
  const context = { meter: new Meter(options.limits ?? defaultLimits), notes, onBytes, signal };
  const { totalBytes, entries } = await openSource(source, context);
  progress.totalBytes = totalBytes;
  const content = await readEntries(entries, notes, options);
  return makeDataSet(content, { source, options, previousImport, notes });
}

/** The inputs of a data set in addition to the content of its source. */
export interface DataSetContext {
  source: ImportSource;
  options: ImportOptions;
  previousImport: PreviousImport;
  notes: NoteBook;
  /** Whether a logger may still write the files. Then a renamed algorithm may be absent. */
  isGrowing?: boolean;
}

/** Returns the data set of a source, and adds to `notes`. Throws the first five errors of {@link readDataSet}. */
export function makeDataSet(
  { tables, scenarios, dataFiles, bytes, sha256 }: SourceContent,
  { source, options, previousImport, notes, isGrowing = false }: DataSetContext,
): DataSet {
  const joinedRuns = joinRuns(scenarios, dataFiles, notes, isGrowing);
  const loggedGroups = groupRuns(joinedRuns, notes, options.direction);
  const groups = [
    ...loggedGroups
      .filter(({ format }) => hasKind(format, options.kind))
      .map((group) => nameObjective(group, getDataSetName(source, options))),
    ...groupTables(tables, notes, options.direction),
  ];
  const name = getDataSetName(source, options);
  const isRunRequired = options.replace === true || (options.kind ?? 'auto') !== 'auto';
  const isRunMissing = isRunRequired && groups.every(({ runs }) => runs.length === 0);
  if (scenarios.length === 0 && tables.length === 0)
    throw new ImportRefusal('FORMAT_UNKNOWN', unknownFormatMessage, notes.list());
  if (isRunMissing)
    throw new ImportRefusal('FORMAT_UNKNOWN', describeMissingRun(options), notes.list());
  refuseSmallBudget(groups, options.budget, notes);
  const names = getNames(name, groups, options, previousImport, notes, isGrowing);
  const campaigns = getCampaigns(name, groups, {
    names,
    budget: options.budget,
    storedCampaignIds: previousImport.campaigns,
    ...(options.replace !== true && {
      storedPrefixes: previousImport.prefixes,
      storedExperiments: previousImport.experiments,
      isKnownContent: previousImport.digests.has(sha256),
    }),
  });
  refuseLongNames(campaigns, notes);
  noteAssumedDirections(campaigns, notes);
  notePooledSettings(campaigns, notes);
  for (const algorithm of listPooledPlaceholders(groups))
    notes.add('FOLDERS_POOLED', { detail: algorithm });
  noteEqualRuns(campaigns, notes);
  return {
    name,
    path: 'path' in source ? source.path : source.name,
    bytes,
    sha256,
    campaigns,
    names,
    notes: notes.list(),
  };
}

/**
 * Returns the name in the options, otherwise the name of the source, as {@link toPlainText} returns it; `data set` if
 * both are empty.
 */
export function getDataSetName(source: ImportSource, { name }: ImportOptions): string {
  return toPlainText(name ?? '') || toPlainText(getSourceName(source)) || 'data set';
}

function getNames(
  dataSet: string,
  groups: readonly RunGroup[],
  { rename = {}, replace }: ImportOptions,
  previousImport: PreviousImport,
  notes: NoteBook,
  isGrowing: boolean,
): Map<string, string> {
  const sourceNames = [...new Set(groups.map(({ algorithm }) => algorithm))];
  const nameByAlgorithm = new Map(
    Object.entries(rename).map(([name, newName]) => [name, toPlainText(newName)] as const),
  );
  for (const [name, newName] of nameByAlgorithm) {
    if (!sourceNames.includes(name) && !isGrowing)
      throw makeInvalidRenameError(
        sourceNames.length === 0
          ? `The source has no runs, so it has no algorithm "${name}" to rename. Choose a source with runs.`
          : `The source has no algorithm "${name}". Choose from ${sourceNames.map((sourceName) => `"${sourceName}"`).join(', ')}.`,
        notes,
      );
    if (newName === '')
      throw makeInvalidRenameError(`The new name of "${name}" is empty. Enter a name.`, notes);
    const storedName =
      previousImport.names.get(name) ?? (previousImport.hasUnknownNames ? name : undefined);
    if (!replace && storedName !== undefined && storedName !== newName)
      throw new ImportRefusal(
        'IMPORT_CONFLICT',
        `"${dataSet}" has the algorithm "${name}" as "${storedName}". Replace the data set, or choose another name for it.`,
        notes.list(),
      );
  }
  const names = nameAlgorithms(dataSet, sourceNames, nameByAlgorithm, previousImport.names);
  for (const [name, algorithms] of Map.groupBy(
    names.keys(),
    (algorithm) => names.get(algorithm) ?? algorithm,
  )) {
    if (algorithms.length > 1)
      throw makeInvalidRenameError(
        `The algorithms ${algorithms.map((algorithm) => `"${algorithm}"`).join(' and ')} get the same name "${name}". Choose different names.`,
        notes,
      );
  }
  return names;
}

function makeInvalidRenameError(message: string, notes: NoteBook): ImportRefusal {
  return new ImportRefusal('RENAME_INVALID', message, notes.list());
}

/** Throws BUDGET_TOO_SMALL if a run whose data state no budget used more evaluations than this budget. */
function refuseSmallBudget(
  groups: readonly RunGroup[],
  budget: number | undefined,
  notes: NoteBook,
): void {
  if (budget === undefined) return;
  const groupsWithoutBudget = groups.filter((group) => !hasStatedBudget(group));
  const maximumUse = groupsWithoutBudget
    .flatMap(({ runs }) => runs)
    .reduce((maximum, { trace }) => Math.max(maximum, trace.usedEvaluations), 0);
  if (maximumUse <= budget) return;
  const message = `The budget of ${budget} evaluations is below the ${maximumUse} that a run used. Enter at least ${maximumUse}.`;
  throw new ImportRefusal('BUDGET_TOO_SMALL', message, notes.list());
}

/** Maximum size of a name in bytes. A PostgreSQL index entry has at most 2,704 bytes, and one index has two names. */
const maximumNameBytes = 1_000;

/**
 * Throws NAME_TOO_LONG if the name of an algorithm, problem or parameter has more than {@link maximumNameBytes}.
 * Applies to SQLite too, so both accept the same data.
 */
function refuseLongNames(campaigns: readonly Campaign[], notes: NoteBook): void {
  const check = (kind: string, name: string) => {
    const bytes = Buffer.byteLength(name);
    if (bytes <= maximumNameBytes) return;
    const message = `The name of the ${kind} "${getTextStart(name, 40)}…" has ${bytes} bytes, but at most ${maximumNameBytes} are possible. Shorten it in the source.`;
    throw new ImportRefusal('NAME_TOO_LONG', message, notes.list());
  };
  for (const { record, group } of campaigns.flatMap(({ experiments }) => experiments)) {
    check('algorithm', group.algorithm);
    check('problem', record.columns.problem_type);
    for (const { param_path } of record.params) check('parameter', param_path);
  }
}

/**
 * Adds a note if tables have several settings of one algorithm on the same function and dimension of a campaign. The
 * count of the note is the number of such combinations of campaign, algorithm, function and dimension.
 */
function notePooledSettings(campaigns: readonly Campaign[], notes: NoteBook): void {
  const settingNames = new Map<string, Set<string>>();
  let count = 0;
  // Analyses compare experiments without a campaign by their settings.
  for (const { experiments } of campaigns.filter(({ campaignId }) => campaignId !== null)) {
    const tableExperiments = experiments.filter(({ group }) => group.format === 'table');
    const cells = Map.groupBy(tableExperiments, ({ group, functionNumber }) =>
      JSON.stringify([group.algorithm, functionNumber, group.dimension]),
    );
    for (const cell of cells.values()) {
      const settings = cell.map(({ group }) => group.attributes);
      const names = new Set(settings.flatMap((setting) => Object.keys(setting)));
      const differingNames = [...names].filter(
        (name) => new Set(settings.map((setting) => setting[name])).size > 1,
      );
      const algorithm = cell[0]?.group.algorithm;
      if (algorithm === undefined || differingNames.length === 0) continue;
      count += 1;
      const knownNames = settingNames.get(algorithm) ?? [];
      settingNames.set(algorithm, new Set([...knownNames, ...differingNames]));
    }
  }
  if (count === 0) return;
  const details = [...settingNames].map(
    ([algorithm, names]) => `${algorithm}: ${[...names].join(', ')}`,
  );
  notes.add('SETTINGS_POOLED', { count, detail: details.join('; ') });
}

/** Minimum number of improvements from which two runs are unlikely to be equal by chance. */
const minimumImprovements = 3;

/**
 * Adds a note if at least half of the runs of an experiment equal an earlier run of the experiment, as copies of files
 * do. The count of the note is the number of these later runs, over all such experiments. Runs with fewer than {@link
 * minimumImprovements} may be equal by chance, so they count as different.
 */
function noteEqualRuns(campaigns: readonly Campaign[], notes: NoteBook): void {
  const algorithms = new Set<string>();
  let count = 0;
  for (const { group, runs } of campaigns.flatMap(({ experiments }) => experiments)) {
    const countRepeatedRuns = (getRows: (trace: RunTrace) => readonly unknown[]) => {
      const keys = runs.map(({ instance, seed, trace }, index) => {
        const rows = trace.best.length < minimumImprovements ? index : getRows(trace);
        return JSON.stringify([instance, String(seed), trace.usedEvaluations, rows]);
      });
      return keys.length - new Set(keys).size;
    };
    // The runs of most experiments already differ in their last values.
    const maximumCount = countRepeatedRuns(({ best }) => [best.length, best.at(-1)]);
    if (maximumCount === 0 || maximumCount < runs.length / 2) continue;
    const repeatedCount = countRepeatedRuns(({ evaluations, best }) => [...evaluations, ...best]);
    if (repeatedCount < runs.length / 2) continue;
    count += repeatedCount;
    algorithms.add(group.algorithm);
  }
  if (count > 0) notes.add('EQUAL_RUNS', { count, detail: [...algorithms].join(', ') });
}

/**
 * Adds a note for each problem in tables whose direction is an assumption. Groups that retain the opposite direction of
 * their stored experiments no longer have an assumption, see {@link getCampaigns}.
 */
function noteAssumedDirections(campaigns: readonly Campaign[], notes: NoteBook): void {
  const assumptions = campaigns.flatMap(({ experiments }) =>
    experiments.flatMap(({ group }) => group.assumption ?? []),
  );
  for (const { file } of new Set(assumptions))
    notes.add('DIRECTION_ASSUMED', { file, detail: 'assumed minimisation' });
}

/**
 * Adds a note to the data set if it has a problem of this import in both directions, also if earlier imports stored one
 * of them. The count of the note is the number of such problems. `storedRuns` contains the stored runs of the data set,
 * or none if the import replaces the data set. Stored runs that the import reads again get its direction, except
 * `unchangedIds`: these runs retain their stored direction.
 */
export function noteDirections(
  { name, campaigns, notes }: DataSet,
  storedRuns: readonly { runId: string; experimentId: string }[],
  storedExperiments: PreviousImport['experiments'],
  unchangedIds: ReadonlySet<string> = new Set(),
): void {
  const experiments = campaigns.flatMap((campaign) => campaign.experiments);
  const ownIds = new Set(experiments.flatMap(({ runs }) => runs.map(({ runId }) => runId)));
  const otherRuns = storedRuns.filter(({ runId }) => !ownIds.has(runId) || unchangedIds.has(runId));
  const otherIds = new Set(otherRuns.map(({ experimentId }) => experimentId));
  const otherExperiments = Map.groupBy(
    storedExperiments.filter(({ experimentId }) => otherIds.has(experimentId)),
    ({ problem }) => problem,
  );
  const experimentsByProblem = Map.groupBy(experiments, ({ group, functionNumber }) =>
    getDirectionlessKey(group, functionNumber),
  );
  const differingExperiments = [...experimentsByProblem].flatMap(
    ([problem, experimentsOfProblem]) => {
      const directions = new Set([
        ...experimentsOfProblem.map(({ group }) => group.direction),
        ...(otherExperiments.get(problem) ?? []).flatMap(({ direction }) => direction ?? []),
      ]);
      return directions.size > 1 ? experimentsOfProblem.slice(0, 1) : [];
    },
  );
  if (differingExperiments.length === 0) return;
  const titles = differingExperiments.map(({ group }) => getProblemTitle(name, group));
  const noteBook = new NoteBook();
  noteBook.add('DIRECTIONS_DIFFER', { count: titles.length, detail: titles.join('; ') });
  notes.push(...noteBook.list());
}

/**
 * Returns a group of pycma with the name of the data set as the name of its function, because the files of pycma do not
 * name the objective. Returns other groups unchanged.
 */
function nameObjective(group: RunGroup, name: string): RunGroup {
  return group.format === 'pycma'
    ? { ...group, suite: null, functionId: '1', functionName: name }
    : group;
}

function hasKind(format: RunGroup['format'], kind: ImportOptions['kind']): boolean {
  if (kind === 'coco') return format.startsWith('coco');
  return kind !== 'iohprofiler' || format === 'iohprofiler';
}

const unknownFormatMessage =
  'The source has no data in a known format. Choose indexes of COCO (.info), IOHprofiler (.info, IOHprofiler_f*.json) ' +
  'or pycma (parameters.json2) with their data files, or tables (.csv, .jsonl) with columns for evaluations and best';

const describeMissingRun = ({ kind = 'auto' }: ImportOptions): string =>
  kind === 'auto'
    ? 'The source has no run to replace the stored runs. Choose a source with runs'
    : `The source has no run of the kind "${kind}". Choose another source, or the kind "auto"`;

/** The content of all indexes, data files and tables of a source. */
export interface SourceContent {
  /** Tables ordered by the bytes of their paths. */
  tables: Table[];
  /** Scenarios ordered by the bytes of the index path, then as in the index; then those of `guessScenarios`, if any. */
  scenarios: Scenario[];
  dataFiles: DataFile[];
  /** Number of bytes that the import read, unpacked. */
  bytes: number;
  /**
   * SHA-256 in hexadecimal of the paths and bytes of all files that the import read, see {@link getDigest}. Their order
   * does not change it. A folder and its archive have the same SHA-256, unless they have tables with unknown columns or
   * indexes that are too large: the import reads only the first bytes of such files.
   */
  sha256: string;
}

/** Options of reading the files of a source. */
export interface ReadOptions {
  /** The formats to read; default: all (`auto`). */
  kind?: 'auto' | 'coco' | 'iohprofiler' | 'table' | undefined;
  /** Columns that the user selected, for all tables; default: columns with known names. */
  columns?: ColumnChoice | undefined;
}

/**
 * Reads indexes, data files and tables in the order of the source. With the kind `table`, reads only tables; with
 * `coco` and `iohprofiler`, reads no tables. Skips files that are incomplete because an archive inside the source is
 * unreadable. If files have the same path, the last one applies. Rejects with the other errors of the entries.
 */
export async function readEntries(
  entries: AsyncIterable<Entry>,
  notes: NoteBook,
  { kind = 'auto', columns }: ReadOptions = {},
): Promise<SourceContent> {
  const tables = new Map<string, Table>();
  const indexes = new Map<string, Scenario[]>();
  const dataFiles = new Map<string, DataFile>();
  const digests = new Map<string, Hash>();
  let bytes = 0;
  for await (const entry of entries) {
    const readEntry = getReader(entry.path);
    if (!readEntry) continue;
    try {
      await readEntry(addDigest(entry));
    } catch (error) {
      if (!(error instanceof UnreadableEntry)) throw error;
      // An earlier entry with the same path does not apply either.
      for (const values of [tables, indexes, dataFiles, digests]) values.delete(entry.path);
    }
  }
  const scenarios = joinPycmaIndexes(listInPathOrder(indexes).flat());
  return {
    tables: listInPathOrder(tables),
    scenarios,
    dataFiles: [...dataFiles.values()],
    bytes,
    sha256: getDigest(digests),
  };

  function addDigest(entry: Entry): Entry {
    const hash = createHash('sha256');
    digests.set(entry.path, hash);
    async function* hashChunks() {
      for await (const chunk of entry.bytes) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    return { ...entry, bytes: hashChunks() };
  }

  function getReader(path: string): ((entry: Entry) => Promise<void>) | null {
    if (isSystemFile(path)) return null;
    if (/\.(csv|tsv|jsonl|ndjson)$/i.test(path))
      return kind === 'auto' || kind === 'table' ? readRows : null;
    if (kind === 'table') return null;
    const parseIndex = findIndexParser(path);
    if (parseIndex) return readIndex(parseIndex);
    if (!isDataFile(path)) return null;
    return async (entry) => void dataFiles.set(path, await readDataFile(entry));
  }

  async function readRows(entry: Entry): Promise<void> {
    const table = await readTable(entry, notes, columns);
    if (table) tables.set(entry.path, table);
    else tables.delete(entry.path);
  }

  function readIndex(parse: IndexParser): (entry: Entry) => Promise<void> {
    return async (entry) => {
      const text = await readTextFile(entry, notes);
      const index = text === null ? null : parse(entry.path, text, notes);
      if (index) indexes.set(entry.path, index);
      else indexes.delete(entry.path);
    };
  }
}

/** Returns the values in the order of the bytes of their paths, which is equal for a folder and its archive. */
function listInPathOrder<Value>(valuesByPath: ReadonlyMap<string, Value>): Value[] {
  return [...valuesByPath]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([, value]) => value);
}

/** Returns the scenarios of an index; null if the file is not an index. */
type IndexParser = (file: string, text: string, notes: NoteBook) => Scenario[] | null;

/** Returns the function that parses an index with this path; null for other files. */
export function findIndexParser(path: string): IndexParser | null {
  if (/\.info$/i.test(path)) return parseInfoIndex;
  if (/\.json$/i.test(path)) return parseJsonIndex;
  return isPycmaIndex(path) ? parsePycmaIndex : null;
}

/** Returns whether a path ends in `.dat`, `.tdat`, `.idat` or `.cdat`, except those of {@link isUnusedPycmaFile}. */
export function isDataFile(path: string): boolean {
  return /\.[tic]?dat$/i.test(path) && !isUnusedPycmaFile(path);
}

/**
 * Returns the SHA-256, in hexadecimal, of the paths and content hashes of the files, and ends these hashes. The paths
 * are relative to the deepest folder that contains all files, because an archive may add folders above it.
 */
export function getDigest(digests: ReadonlyMap<string, Hash>): string {
  const paths = [...digests.keys()].sort();
  const commonFolder = findCommonFolder(paths);
  const wholeHash = createHash('sha256');
  for (const path of paths) {
    const fileDigest = digests.get(path)?.digest('hex') ?? '';
    wholeHash.update(`${path.slice(commonFolder.length)}\0${fileDigest}\n`);
  }
  return wholeHash.digest('hex');
}

function findCommonFolder(paths: readonly string[]): string {
  let folder = getFolder(paths[0] ?? '');
  while (!paths.every((path) => path.startsWith(folder))) folder = getFolder(folder.slice(0, -1));
  return folder;
}

/** Maximum size of an index file in bytes: the importer reads it as a whole, and no real index is larger. */
const maximumIndexBytes = 256 * 2 ** 20;

/**
 * Returns the text of an index file without byte order mark and NUL bytes, with LF as end of line. Decodes UTF-16 after
 * its byte order mark, otherwise UTF-8, or Latin-1 if the bytes are not valid UTF-8. Adds a note about NUL bytes.
 * Returns null, with a note, if the file is empty or larger than 256 MiB.
 */
export async function readTextFile(entry: Entry, notes: NoteBook): Promise<string | null> {
  const bytes = await readAll(entry.bytes, maximumIndexBytes);
  if (bytes === null) notes.add('FILE_TOO_LARGE', { file: entry.path });
  else if (bytes.length === 0) notes.add('EMPTY_FILE', { file: entry.path });
  if (bytes === null || bytes.length === 0) return null;
  const text = decode(bytes);
  if (text.includes('\0')) notes.add('NUL_BYTES', { file: entry.path });
  return text.replaceAll('\0', '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

/** The byte order mark of UTF-8, which some programs also write before text in Latin-1. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function decode(bytes: Buffer): string {
  const [firstByte, secondByte] = bytes;
  if (firstByte === 0xff && secondByte === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (firstByte === 0xfe && secondByte === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return bytes.subarray(hasMark ? byteOrderMark.length : 0).toString('latin1');
  }
}
