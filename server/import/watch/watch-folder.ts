import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import { isDiskFull } from '#server/db/dialect.ts';
import type { DataSet } from '#server/import/data-set.ts';
import {
  findPreviousImport,
  type ImportResult,
  makeResult,
} from '#server/import/import-data-sets.ts';
import { type ImportNote, isPending, NoteBook } from '#server/import/notes.ts';
import {
  type PreviousImport,
  getDataSetName,
  type ImportOptions,
  makeDataSet,
  noteDirections,
} from '#server/import/read-data-set.ts';
import { ImportRefusal, type RefusalCode } from '#server/import/refusal.ts';
import { GrowingFolder, type FolderContent } from './growing-folder.ts';
import { WatchedDataSet, type WrittenCounts } from './watched-data-set.ts';

/** The options of a watch: the options of an import that apply to data that still grow. */
export type WatchOptions = Pick<ImportOptions, 'name' | 'direction' | 'kind' | 'rename' | 'limits'>;

/** The state of a watched folder. */
export interface WatchState {
  /** Name of the data set. */
  dataSet: string;
  /** Number of indexes and data files. */
  files: number;
  /** Number of stored runs of the data set; 0 until the watch has opened the data set. */
  runs: number;
  /** Number of these runs that are RUNNING. */
  running: number;
  /** Number of runs that the watch has added. */
  addedRuns: number;
  /** Number of rows that the watch has written, including rewritten ones. */
  addedRows: number;
  /** Time at which the watch last wrote runs, in ISO 8601; null before the first time. */
  changedAt: string | null;
  /** Message of the temporary error of the last poll; null without such an error. */
  problem: string | null;
  notes: ImportNote[];
}

/**
 * Minimum pause after a reading of the folder, and pause between the attempts to end a watch. The watch polls the
 * folder and uses neither chokidar nor `fs.watch`: folders on a network send no events, and on Linux each subfolder
 * needs a separate watch. A reading that finds no change opens no file: it only lists the folders and inspects each
 * file.
 */
const pollMillis = 300;
/**
 * Minimum pause after a reading, as a multiple of the duration of the reading and its writes. The watch therefore reads
 * large or slow folders less often.
 */
const pauseFactor = 2;

/**
 * Watches a folder of COCO, IOHprofiler or pycma while loggers write it, and imports its rows until `signal` is
 * aborted. Then reads the whole folder again as an import reads it, writes the differences, and returns the result; see
 * {@link FolderWatch.finish}. A run is RUNNING until the index states its end, another run follows a listed run in the
 * files, or the watch ends. Calls `onState` with the initial state and after each change of the state.
 *
 * Rejects with {@link ImportRefusal}, and with errors of the database that are not temporary:
 * - SOURCE_UNREADABLE: there is no folder at the path, or the process cannot list its entries
 * - READ_ONLY: the database is read-only
 * - IMPORT_CONFLICT: another program deleted or replaced the data set or the file of the database meanwhile, or there
 *   are rows with the same ids that no import of this name wrote
 * - ARCHIVE_TOO_LARGE: the folder exceeds `options.limits`
 * - the errors of {@link makeDataSet}; FORMAT_UNKNOWN only at the end, because until then the watch waits for known
 *   data, without a message in the state
 *
 * Some errors are temporary: later errors of the folder, RUNNING runs that the watch did not write, a full disk, and a
 * locked or unavailable database. The state contains the message of such an error, and the next poll tries again. For
 * errors at the end of the watch, see {@link FolderWatch.finish}.
 */
export async function watchFolder(
  database: Database,
  path: string,
  options: WatchOptions,
  onState: (state: WatchState) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  if (database.isReadOnly)
    throw new ImportRefusal(
      'READ_ONLY',
      `${database.name} is read-only, so the watch wrote nothing. Choose another database`,
    );
  await requireFolder(path);
  const watch = new FolderWatch(database, resolve(path), options, onState);
  while (!signal.aborted) {
    const start = performance.now();
    await watch.poll(signal);
    const pauseMillis = Math.max(pollMillis, pauseFactor * (performance.now() - start));
    await wait(pauseMillis, undefined, { signal }).catch(() => {});
  }
  return watch.finish();
}

/** Throws SOURCE_UNREADABLE if there is no accessible folder at the path, or if the process cannot list its entries. */
async function requireFolder(path: string): Promise<void> {
  const stats = await stat(path).catch(() => null);
  if (!stats)
    throw new ImportRefusal(
      'SOURCE_UNREADABLE',
      `There is no accessible folder at ${resolve(path)}. Correct the path, or grant access`,
    );
  if (!stats.isDirectory())
    throw new ImportRefusal(
      'SOURCE_UNREADABLE',
      `${resolve(path)} is not a folder. Choose a folder, or import the file without watching`,
    );
  await readdir(path).catch(() => {
    throw new ImportRefusal(
      'SOURCE_UNREADABLE',
      `Evoscope cannot read the folder ${resolve(path)}. Grant permission, or choose another folder`,
    );
  });
}

/** Codes of refusals whose reason may end during the watch. */
const temporaryCodes: ReadonlySet<RefusalCode> = new Set([
  'RUNS_ACTIVE',
  'RUNNER_WRITING',
  'SOURCE_UNREADABLE',
]);

/** Time during which the end of a watch retries after temporary errors. */
const finishMillis = 10_000;

/** Returns the notes except those that may only describe content that the logger has not written yet. */
function listLastingNotes(notes: readonly ImportNote[]): ImportNote[] {
  return notes.filter((note) => !isPending(note));
}

/** A watched folder and its data set. {@link watchFolder} polls it. */
export class FolderWatch {
  readonly #database: Database;
  readonly #path: string;
  readonly #options: WatchOptions;
  readonly #onState: (state: WatchState) => void;
  readonly #folder: GrowingFolder;
  readonly #watchId = randomUUID();
  #previousImport: PreviousImport | null = null;
  #storedDataSet: WatchedDataSet | null = null;
  /** The last read content, until the watch has written this content; otherwise null. */
  #unwrittenContent: FolderContent | null = null;
  #lastDataSet: DataSet | null = null;
  /** Refusal of the last poll; null without a refusal, and for FORMAT_UNKNOWN. */
  #refusal: ImportRefusal | null = null;
  #state: WatchState;

  constructor(
    database: Database,
    path: string,
    options: WatchOptions,
    onState: (state: WatchState) => void,
  ) {
    this.#database = database;
    this.#path = path;
    this.#options = options;
    this.#onState = onState;
    this.#folder = new GrowingFolder(path, options.limits);
    this.#state = {
      dataSet: getDataSetName({ path }, options),
      files: 0,
      runs: 0,
      running: 0,
      addedRuns: 0,
      addedRows: 0,
      changedAt: null,
      problem: null,
      notes: [],
    };
    onState(this.#state);
  }

  /**
   * Reads and writes all changes. Throws only the errors that end the watch, see {@link watchFolder}. If `signal` is
   * aborted, ignores all errors except a replaced or deleted file of the database.
   */
  async poll(signal: AbortSignal): Promise<void> {
    this.#requireCurrentDatabase();
    try {
      this.#unwrittenContent = (await this.#folder.read(signal)) ?? this.#unwrittenContent;
      if (this.#unwrittenContent) await this.#write(this.#unwrittenContent, false);
      this.#unwrittenContent = null;
      this.#refusal = null;
      this.#report({ problem: null });
    } catch (error) {
      if (signal.aborted) return;
      const isWaiting = error instanceof ImportRefusal && error.code === 'FORMAT_UNKNOWN';
      this.#refusal = error instanceof ImportRefusal && !isWaiting ? error : null;
      const problem = isWaiting ? null : this.#explain(error);
      if (problem === null && !isWaiting) throw error;
      this.#report({ problem });
    }
  }

  /**
   * Reads the whole folder again, writes the remaining changes, and returns the result. If this reading fails, uses the
   * content of the last poll. If the content has no scenarios, only ends the written data set; see
   * {@link WatchedDataSet.end}.
   *
   * After a temporary error of writing, retries for {@link finishMillis}, then throws the error. Throws other errors
   * immediately. If there are neither scenarios nor a written data set, throws the refusal of the last poll, or
   * FORMAT_UNKNOWN if that poll had no refusal.
   */
  async finish(): Promise<ImportResult> {
    this.#requireCurrentDatabase();
    const folderContent = await this.#folder
      .readFinishedFolder()
      .catch(() => this.#folder.endFiles());
    const end = performance.now() + finishMillis;
    for (;;) {
      try {
        return await this.#writeEnd(folderContent);
      } catch (error) {
        const isFinal = error === this.#refusal || this.#explain(error) === null;
        if (isFinal || performance.now() > end) throw error;
        await wait(pollMillis);
      }
    }
  }

  async #writeEnd(folderContent: FolderContent): Promise<ImportResult> {
    const hasContent = folderContent.content.scenarios.length > 0;
    if (!hasContent && this.#lastDataSet === null && this.#refusal) throw this.#refusal;
    // If the files are missing, the last written data set applies.
    if (hasContent || this.#lastDataSet === null) await this.#write(folderContent, true);
    const dataSet = this.#lastDataSet;
    if (dataSet === null || this.#storedDataSet === null)
      throw new Error('The watch wrote no data set');
    await this.#storedDataSet.end(dataSet);
    this.#report(this.#storedDataSet.count());
    return makeResult(dataSet, {
      unchangedIds: new Set(this.#storedDataSet.listPreviousIds(dataSet)),
      extendedIds: new Set(),
    });
  }

  /** Writes the content as a data set. Content without scenarios only changes the state, unless `isLast`. */
  async #write({ content, notes, fileCount }: FolderContent, isLast: boolean): Promise<void> {
    const isWaiting = content.scenarios.length === 0 && !isLast;
    this.#report({ files: fileCount, ...(isWaiting && { notes: listLastingNotes(notes.list()) }) });
    if (isWaiting) return;
    const source = { path: this.#path };
    const name = this.#state.dataSet;
    this.#previousImport ??= await findPreviousImport(this.#database, name);
    // After an error, the watch writes the content again, so the notes of the content must not change.
    const allNotes = new NoteBook();
    allNotes.addAll(notes.list());
    const dataSet = makeDataSet(content, {
      source,
      options: this.#options,
      previousImport: this.#previousImport,
      notes: allNotes,
      isGrowing: !isLast,
    });
    this.#storedDataSet ??= await WatchedDataSet.open(this.#database, name, this.#watchId);
    const storedRuns = this.#storedDataSet.listStoredRuns();
    noteDirections(dataSet, storedRuns, this.#previousImport.experiments);
    if (!isLast) dataSet.notes = listLastingNotes(dataSet.notes);
    const getBlock = (origin: string) => `${origin} ${this.#folder.getGeneration(origin)}`;
    try {
      await this.#storedDataSet.write({ dataSet, getBlock }, (writtenCounts) =>
        this.#count(writtenCounts),
      );
    } finally {
      this.#report({ ...this.#storedDataSet.count(), notes: dataSet.notes });
    }
    this.#lastDataSet = dataSet;
    this.#freezeNames(this.#previousImport, content, dataSet);
  }

  /** Freezes the names of algorithms with listed runs, because a later algorithm must not rename their runs. */
  #freezeNames(
    previousImport: PreviousImport,
    { scenarios }: FolderContent['content'],
    dataSet: DataSet,
  ) {
    const scenariosWithRuns = scenarios.filter(({ runs }) => runs.length > 0);
    const names = new Map(previousImport.names);
    for (const { algorithm } of scenariosWithRuns)
      names.set(algorithm, dataSet.names.get(algorithm) ?? algorithm);
    this.#previousImport = { ...previousImport, names };
  }

  #count({ runCount, rowCount }: WrittenCounts): void {
    const { addedRuns, addedRows } = this.#state;
    const changedAt = new Date().toISOString();
    this.#report({ addedRuns: addedRuns + runCount, addedRows: addedRows + rowCount, changedAt });
  }

  #report(change: Partial<WatchState>): void {
    const state = { ...this.#state, ...change };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#onState(state);
  }

  #requireCurrentDatabase(): void {
    if (this.#database.isCurrent()) return;
    throw new ImportRefusal(
      'IMPORT_CONFLICT',
      'Another program replaced or deleted the file of the database, so watching has ended. Start watching again',
    );
  }

  /** Returns the message of an error after which the watch continues; null for any other error. */
  #explain(error: unknown): string | null {
    if (error instanceof ImportRefusal) {
      return temporaryCodes.has(error.code) ? error.message : null;
    }
    if (isDiskFull(error))
      return 'The disk of the database is full. Free some space; writing then continues.';
    const { code, syscall, path } = Object(error) as NodeJS.ErrnoException;
    if (syscall !== undefined && path !== undefined) return this.#explainUnreadable(code, path);
    const failure = this.#database.dialect.classifyFailure(error);
    if (failure === 'busy' || failure === 'connections')
      return 'The database is busy. The watch retries automatically.';
    if (failure === 'unavailable')
      return 'The database does not respond. The watch retries automatically.';
    return null;
  }

  #explainUnreadable(code: string | undefined, path: string): string {
    if (code === 'ENOENT' && path === this.#path)
      return `The folder ${path} no longer exists. Watching continues when it exists again.`;
    if (code === 'EACCES' || code === 'EPERM')
      return `There is no permission to read ${path}. Grant it; watching then continues.`;
    return `Evoscope cannot read ${path} (${code}). Watching continues when reading works again.`;
  }
}
