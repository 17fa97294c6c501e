import type { DatabaseFacts, StartDatabase } from './database.ts';
import type { ChildEnd } from './run-child.ts';
import { hasFailedToOpen, type WindowDecision } from './window.ts';

/** The arguments of `npm start`. */
export interface StartRequest {
  /** Whether the start runs only the service and never opens the window. */
  readonly isServiceOnly: boolean;
  /** Whether the start adds sample runs without a question if the database has no runs. */
  readonly hasSample: boolean;
  /** The flags of the service. */
  readonly flags: readonly string[];
}

/** Separates the flags of the start, `--serve` and `--sample`, from the flags of the service. */
export function splitArguments(args: readonly string[]): StartRequest {
  return {
    isServiceOnly: args.includes('--serve'),
    hasSample: args.includes('--sample'),
    flags: args.filter((arg) => arg !== '--serve' && arg !== '--sample'),
  };
}

/**
 * Decision of a start about sample runs: `fill` adds them without a question, `ask` asks the user first, `explain`
 * prints the command that adds them, `refuse` reports that the database has runs, `nothing` adds none.
 */
export type SampleDecision = 'fill' | 'ask' | 'explain' | 'refuse' | 'nothing';

/**
 * Decides about sample runs. Only a writable database without runs gets them. A database that existed before or that
 * the user named gets them only if the user agrees. If there is no terminal to ask on, the database that a first start
 * creates gets them without a question, because its pages would otherwise be empty. This does not apply with `--serve`.
 */
export function decideSample(
  { content, isNamed, isReadOnly }: DatabaseFacts,
  { isServiceOnly, hasSample }: StartRequest,
  canAsk: boolean,
): SampleDecision {
  if (content === 'unknown' || isReadOnly) return 'nothing';
  if (content === 'filled') return hasSample ? 'refuse' : 'nothing';
  if (hasSample) return 'fill';
  if (canAsk) return 'ask';
  return content === 'missing' && !isNamed && !isServiceOnly ? 'fill' : 'explain';
}

/** The side effects of a start: other processes and the terminal. */
export interface StartDependencies {
  /** Prints a line for the user to the standard error. */
  print(line: string): void;
  canAsk: boolean;
  ask(question: string): Promise<boolean>;
  inspectDatabase(): Promise<StartDatabase>;
  ensureService(): Promise<void>;
  ensureDesktop(): Promise<void>;
  /** Returns the path of the Electron executable; null if it is not installed. */
  findElectron(): string | null;
  /** Downloads Electron, and shows the messages of the download on the terminal. */
  downloadElectron(): Promise<ChildEnd>;
  /** Fills the database with sample runs. */
  fillSample(): Promise<ChildEnd>;
  runService(): Promise<ChildEnd>;
  runWindow(electron: string): Promise<ChildEnd>;
}

/**
 * Starts Evoscope and resolves with its exit, or with the exit of an interrupted sample runner. Downloads Electron if a
 * window can open and Electron is missing. Builds the parts that this start needs and that are out of date. Offers
 * sample runs (see {@link decideSample}). Then opens the window. If the window cannot open or does not open, runs only
 * the service. Rejects with the errors of the dependencies.
 */
export async function launch(
  request: StartRequest,
  window: WindowDecision,
  dependencies: StartDependencies,
): Promise<ChildEnd> {
  const electron = window.canOpen ? await ensureElectron(dependencies) : null;
  if (electron === null) await dependencies.ensureService();
  else await dependencies.ensureDesktop();
  const interruption = await offerSample(request, dependencies);
  if (interruption !== null) return interruption;
  if (electron !== null) {
    const end = await dependencies.runWindow(electron);
    if (!hasFailedToOpen(end)) return end;
    dependencies.print('The window did not open. Open the address below in a browser instead.');
  }
  const reason = window.canOpen ? 'Electron is not installed' : window.reason;
  if (electron === null && reason !== null) {
    dependencies.print(`No window: ${reason}. Open the address below in a browser instead.`);
  }
  return dependencies.runService();
}

/**
 * Resolves with the path of Electron. Downloads Electron if necessary. If the download fails or the user cancels it,
 * reports this and resolves with null.
 */
async function ensureElectron(dependencies: StartDependencies): Promise<string | null> {
  const installedPath = dependencies.findElectron();
  if (installedPath !== null) return installedPath;
  dependencies.print(
    'Downloading Electron for the window once (about 120 MB). Ctrl-C continues without it.',
  );
  const end = await dependencies.downloadElectron();
  const downloadedPath = end.code === 0 ? dependencies.findElectron() : null;
  if (downloadedPath === null) {
    const outcome = isInterrupted(end) ? 'was cancelled' : 'failed';
    dependencies.print(
      `The download of Electron ${outcome}. The next start tries again; \`npm run serve\` does not.`,
    );
  }
  return downloadedPath;
}

/**
 * Adds or offers sample runs, see {@link decideSample}. Resolves with the exit of the sample runner if the user
 * interrupted it; otherwise with null, and the start continues.
 */
async function offerSample(
  request: StartRequest,
  dependencies: StartDependencies,
): Promise<ChildEnd | null> {
  const database = await dependencies.inspectDatabase();
  const { name } = database;
  switch (decideSample(database, request, dependencies.canAsk)) {
    case 'fill':
      dependencies.print(request.hasSample ? describeFilling(name) : describeFirstStart(name));
      return fillDatabase(database, dependencies);
    case 'ask':
      if (!(await dependencies.ask(`${name} has no runs yet. Fill it with sample runs? [Y/n] `)))
        return null;
      dependencies.print(describeFilling(name));
      return fillDatabase(database, dependencies);
    case 'explain':
      dependencies.print(
        `${name} has no runs yet. Add sample runs with: ${getSampleCommand(database)}`,
      );
      return null;
    case 'refuse':
      dependencies.print(
        `The start adds no sample runs, because ${name} already has runs: name a new file with --db`,
      );
      return null;
    default:
      if (request.hasSample) reportMissingSample(database, dependencies);
      return null;
  }
}

/**
 * Reports why the start adds no sample runs. Reports nothing if the service cannot open the database, because the
 * service reports the reason.
 */
function reportMissingSample(
  { name, isReadOnly }: StartDatabase,
  dependencies: StartDependencies,
): void {
  if (name === '')
    dependencies.print(
      'The start adds no sample runs, because it opens no database: name one with --db',
    );
  else if (isReadOnly)
    dependencies.print(
      `The start adds no sample runs, because ${name} is read-only: name another database with --db`,
    );
  else if (name === ':memory:')
    dependencies.print(
      'The start adds no sample runs to a database in memory: name a file with --db',
    );
}

function describeFilling(name: string): string {
  return `Filling ${name} with sample runs.`;
}

function describeFirstStart(name: string): string {
  return `Without --db, the start fills the new ${name} with sample runs. To open your own: npm start -- --db <file or URL>`;
}

async function fillDatabase(
  { name }: StartDatabase,
  dependencies: StartDependencies,
): Promise<ChildEnd | null> {
  const end = await dependencies.fillSample();
  if (isInterrupted(end)) return end;
  if (end.code !== 0) {
    dependencies.print(
      `Writing sample runs to ${name} failed, see above. The start continues without them.`,
    );
  }
  return null;
}

function isInterrupted({ code, signal }: ChildEnd): boolean {
  return signal !== null || (code !== null && code > 128);
}

function getSampleCommand({ argument }: StartDatabase): string {
  return `npm run sample -- --db ${argument === null ? '<the same database>' : quoteShellWord(argument)}`;
}

/** Returns a word, in quotes for a POSIX shell if necessary. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
