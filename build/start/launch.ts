import type { DatabaseFacts, StartDatabase } from './database.ts';
import type { ChildEnd } from './run-child.ts';
import { hasFailedToOpen, type WindowDecision } from './window.ts';

/** The arguments of `npm start`. */
export interface StartRequest {
  /** Never open the window. */
  readonly isServeOnly: boolean;
  /** Fill a database without runs with sample runs, without a question. */
  readonly sample: boolean;
  /** All other flags: those of the service. */
  readonly flags: readonly string[];
}

/** Separates `--serve` and `--sample`, the flags of the start itself, from the flags of the service. */
export function splitArguments(args: readonly string[]): StartRequest {
  return {
    isServeOnly: args.includes('--serve'),
    sample: args.includes('--sample'),
    flags: args.filter((arg) => arg !== '--serve' && arg !== '--sample'),
  };
}

/** `fill` immediately, `ask` first, `explain` how to fill the database, `refuse` because it has runs, or `nothing`. */
export type SampleDecision = 'fill' | 'ask' | 'explain' | 'refuse' | 'nothing';

/**
 * Decides about sample runs. Only a database without runs gets them. A database that existed before or that the user
 * named gets them only if the user agrees. The database that a first start creates gets them without a question if
 * there is no terminal to ask on, so that the pages show something; a start with `--serve` does not fill it.
 */
export function decideSample(
  { content, isNamed, isReadOnly }: DatabaseFacts,
  { isServeOnly, sample }: StartRequest,
  canAsk: boolean,
): SampleDecision {
  if (content === 'unknown' || isReadOnly) return 'nothing';
  if (content === 'filled') return sample ? 'refuse' : 'nothing';
  if (sample) return 'fill';
  if (canAsk) return 'ask';
  return content === 'missing' && !isNamed && !isServeOnly ? 'fill' : 'explain';
}

/** The side effects of a start: other processes and the terminal. */
export interface StartEffects {
  /** Prints a line for the user to the standard error. */
  print(line: string): void;
  canAsk: boolean;
  ask(question: string): Promise<boolean>;
  inspectDatabase(): Promise<StartDatabase>;
  ensureService(): Promise<void>;
  ensureDesktop(): Promise<void>;
  /** Path of the Electron executable; null if it is not installed. */
  findElectron(): string | null;
  /** Downloads Electron and shows the progress on the terminal. */
  fetchElectron(): Promise<ChildEnd>;
  /** Fills the database with sample runs. */
  fillSample(): Promise<ChildEnd>;
  runService(): Promise<ChildEnd>;
  runWindow(electron: string): Promise<ChildEnd>;
}

/**
 * Starts Evoscope and resolves with its exit when it has ended. Downloads Electron if a window can open and Electron is
 * missing, builds everything that is out of date, offers sample runs (see {@link decideSample}), and opens the window or
 * runs only the service.
 */
export async function launch(
  request: StartRequest,
  window: WindowDecision,
  effects: StartEffects,
): Promise<ChildEnd> {
  const electron = window.canOpen ? await findElectronFor(effects) : null;
  if (electron === null) await effects.ensureService();
  else await effects.ensureDesktop();
  const interruption = await offerSample(request, effects);
  if (interruption !== null) return interruption;
  if (electron !== null) {
    const end = await effects.runWindow(electron);
    if (!hasFailedToOpen(end)) return end;
    effects.print('The window could not be opened. Open the address below in a browser instead.');
  }
  const reason = window.canOpen ? 'Electron is not installed' : window.reason;
  if (electron === null && reason !== null) {
    effects.print(`No window: ${reason}. Open the address below in a browser instead.`);
  }
  return effects.runService();
}

/** Returns the path of Electron, downloaded if necessary; reports a cancelled or failed download and returns null. */
async function findElectronFor(effects: StartEffects): Promise<string | null> {
  const electronPath = effects.findElectron();
  if (electronPath !== null) return electronPath;
  effects.print(
    'Downloading Electron for the window once (about 120 MB). Ctrl-C continues without it.',
  );
  const end = await effects.fetchElectron();
  const electron = end.code === 0 ? effects.findElectron() : null;
  if (electron === null) {
    const outcome = wasInterrupted(end) ? 'was cancelled' : 'failed';
    effects.print(
      `The download of Electron ${outcome}. The next start tries again; \`npm run serve\` does not.`,
    );
  }
  return electron;
}

/** Resolves with null to continue, or with the exit of the sample runner if the user interrupted it. */
async function offerSample(request: StartRequest, effects: StartEffects): Promise<ChildEnd | null> {
  const database = await effects.inspectDatabase();
  const { name } = database;
  switch (decideSample(database, request, effects.canAsk)) {
    case 'fill':
      effects.print(request.sample ? describeFilling(name) : describeFirstStart(name));
      return fill(database, effects);
    case 'ask':
      if (!(await effects.ask(`${name} has no runs yet. Fill it with sample runs? [Y/n] `)))
        return null;
      effects.print(describeFilling(name));
      return fill(database, effects);
    case 'explain':
      effects.print(`${name} has no runs yet. Add sample runs with: ${getCommandFor(database)}`);
      return null;
    case 'refuse':
      effects.print(`${name} already has runs, so no sample runs were added.`);
      return null;
    default:
      return null;
  }
}

function describeFilling(name: string): string {
  return `Filling ${name} with sample runs.`;
}

function describeFirstStart(name: string): string {
  return `No database was named: filling the new ${name} with sample runs. To open your own: npm start -- --db <file or URL>`;
}

async function fill({ name }: StartDatabase, effects: StartEffects): Promise<ChildEnd | null> {
  const end = await effects.fillSample();
  if (wasInterrupted(end)) return end;
  if (end.code !== 0) {
    effects.print(
      `The sample runs could not be written to ${name}. The start continues without them.`,
    );
  }
  return null;
}

function wasInterrupted({ code, signal }: ChildEnd): boolean {
  return signal !== null || (code !== null && code > 128);
}

function getCommandFor({ argument }: StartDatabase): string {
  return `npm run sample -- --db ${argument === null ? '<the same database>' : quoteShellWord(argument)}`;
}

/** Quotes a word for a POSIX shell if necessary. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
