import type { ChildEnd } from './run-child.ts';
import {
  decideSample,
  failedToOpen,
  shellWord,
  type DatabaseFacts,
  type StartRequest,
  type WindowDecision,
} from './start-decisions.ts';

/** The database that the service will open. */
export interface StartDatabase extends DatabaseFacts {
  /** As the service takes it after `--db`, e.g. a path or a URL. */
  readonly url: string;
  /** For people, without credentials. */
  readonly name: string;
}

/** What a start does to the world; each is done by another process or by the terminal. */
export interface StartEffects {
  /** Writes a line for the person who started this; never to the standard output. */
  say(line: string): void;
  canAsk: boolean;
  ask(question: string): Promise<boolean>;
  /** What the service finds wrong with its flags and variables, one sentence each. */
  findFaults(): string[];
  inspectDatabase(): Promise<StartDatabase>;
  ensurePages(): Promise<void>;
  ensureDesktop(): Promise<void>;
  /** Fills the database with sample runs. */
  fillSample(url: string): Promise<ChildEnd>;
  runService(): Promise<ChildEnd>;
  runWindow(electron: string): Promise<ChildEnd>;
}

/** The exit code of a command that was given something wrong. */
const usageError: ChildEnd = { code: 2, signal: null };

/**
 * Brings Evoscope up and settles when it has ended, with how: wrong flags end it before anything is touched,
 * with exit code 2; then the pages are built if need be, an empty database is dealt with (see
 * {@link decideSample}), and the window is opened, or the service run without one.
 */
export async function launch(
  request: StartRequest,
  window: WindowDecision,
  effects: StartEffects,
): Promise<ChildEnd> {
  const faults = effects.findFaults();
  for (const fault of faults) effects.say(fault);
  if (faults.length > 0) return usageError;
  if (window.electron === null) await effects.ensurePages();
  else await effects.ensureDesktop();
  const interruption = await offerSample(request, effects);
  if (interruption !== null) return interruption;
  if (window.electron !== null) {
    const end = await effects.runWindow(window.electron);
    if (!failedToOpen(end)) return end;
    effects.say('The window could not be opened. Open the address below in a browser instead.');
  } else if (window.reason !== null) {
    effects.say(`No window: ${window.reason}. Open the address below in a browser instead.`);
  }
  return effects.runService();
}

/** Settles with null to go on, or with how the filling ended when the user interrupted it. */
async function offerSample(request: StartRequest, effects: StartEffects): Promise<ChildEnd | null> {
  const database = await effects.inspectDatabase();
  const { name } = database;
  switch (decideSample(database, request, effects.canAsk)) {
    case 'fill':
      effects.say(request.sample ? `Filling ${name} with sample runs.` : unaskedLine(name));
      return fill(database, effects);
    case 'ask':
      return (await effects.ask(`${name} has no runs yet. Fill it with sample runs? [Y/n] `))
        ? fill(database, effects)
        : null;
    case 'tell':
      effects.say(`${name} has no runs yet. Sample runs to look at: ${commandFor(database)}`);
      return null;
    case 'refuse':
      effects.say(`${name} has runs already, so no sample runs were added.`);
      return null;
    default:
      return null;
  }
}

function unaskedLine(name: string): string {
  return `No database was named: filling the new ${name} with sample runs. For your own: npm start -- --db <file or URL>`;
}

async function fill({ name, url }: StartDatabase, effects: StartEffects): Promise<ChildEnd | null> {
  const end = await effects.fillSample(url);
  if (end.signal !== null) return end;
  if (end.code !== 0) {
    effects.say(`The sample runs could not be written to ${name}; going on without them.`);
  }
  return null;
}

function commandFor({ url }: StartDatabase): string {
  const isSecret = /password|\/\/[^/]*@/i.test(url);
  return `npm run sample -- --db ${isSecret ? '<the same database>' : shellWord(url)}`;
}
