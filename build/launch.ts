import type { ChildEnd } from './run-child.ts';
import type { StartDatabase } from './start-database.ts';
import {
  decideSample,
  failedToOpen,
  shellWord,
  type StartRequest,
  type WindowDecision,
} from './start-decisions.ts';

/** What a start does to the world; each is done by another process or by the terminal. */
export interface StartEffects {
  /** Writes a line for the person who started this; never to the standard output. */
  say(line: string): void;
  canAsk: boolean;
  ask(question: string): Promise<boolean>;
  inspectDatabase(): Promise<StartDatabase>;
  ensureService(): Promise<void>;
  ensureDesktop(): Promise<void>;
  /** Path of Electron's program, null when it is not on this machine. */
  findElectron(): string | null;
  /** Fetches Electron's program, with its progress on the terminal. */
  fetchElectron(): Promise<ChildEnd>;
  /** Fills the database with sample runs. */
  fillSample(): Promise<ChildEnd>;
  runService(): Promise<ChildEnd>;
  runWindow(electron: string): Promise<ChildEnd>;
}

/**
 * Brings Evoscope up and settles when it has ended, with how: Electron's program is fetched where a window can be opened
 * and it is missing, the service and its pages are built if need be, an empty database is dealt with (see {@link decideSample}), and
 * the window is opened, or the service run without one.
 */
export async function launch(
  request: StartRequest,
  window: WindowDecision,
  effects: StartEffects,
): Promise<ChildEnd> {
  const electron = window.opens ? await electronFor(effects) : null;
  if (electron === null) await effects.ensureService();
  else await effects.ensureDesktop();
  const interruption = await offerSample(request, effects);
  if (interruption !== null) return interruption;
  if (electron !== null) {
    const end = await effects.runWindow(electron);
    if (!failedToOpen(end)) return end;
    effects.say('The window could not be opened. Open the address below in a browser instead.');
  }
  const reason = window.opens ? 'Electron is not installed' : window.reason;
  if (electron === null && reason !== null) {
    effects.say(`No window: ${reason}. Open the address below in a browser instead.`);
  }
  return effects.runService();
}

/** Electron's program, fetched when it is missing; null, said why, when that was cancelled or is not possible. */
async function electronFor(effects: StartEffects): Promise<string | null> {
  const found = effects.findElectron();
  if (found !== null) return found;
  effects.say('Fetching Electron for the window, once: about 120 MB. Ctrl-C goes on without it.');
  const end = await effects.fetchElectron();
  const fetched = end.code === 0 ? effects.findElectron() : null;
  if (fetched === null) {
    const was = wasInterrupted(end) ? 'was cancelled' : 'failed';
    effects.say(
      `Fetching Electron ${was}; the next start tries again, \`npm run serve\` does not.`,
    );
  }
  return fetched;
}

/** Settles with null to go on, or with how the filling ended when the user interrupted it. */
async function offerSample(request: StartRequest, effects: StartEffects): Promise<ChildEnd | null> {
  const database = await effects.inspectDatabase();
  const { name } = database;
  switch (decideSample(database, request, effects.canAsk)) {
    case 'fill':
      effects.say(request.sample ? fillingLine(name) : unaskedLine(name));
      return fill(database, effects);
    case 'ask':
      if (!(await effects.ask(`${name} has no runs yet. Fill it with sample runs? [Y/n] `)))
        return null;
      effects.say(fillingLine(name));
      return fill(database, effects);
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

function fillingLine(name: string): string {
  return `Filling ${name} with sample runs.`;
}

function unaskedLine(name: string): string {
  return `No database was named: filling the new ${name} with sample runs. For your own: npm start -- --db <file or URL>`;
}

async function fill({ name }: StartDatabase, effects: StartEffects): Promise<ChildEnd | null> {
  const end = await effects.fillSample();
  if (wasInterrupted(end)) return end;
  if (end.code !== 0) {
    effects.say(`The sample runs could not be written to ${name}; going on without them.`);
  }
  return null;
}

function wasInterrupted({ code, signal }: ChildEnd): boolean {
  return signal !== null || (code !== null && code > 128);
}

function commandFor({ argument }: StartDatabase): string {
  return `npm run sample -- --db ${argument === null ? '<the same database>' : shellWord(argument)}`;
}
