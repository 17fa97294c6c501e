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
  ensurePages(): Promise<void>;
  ensureDesktop(): Promise<void>;
  /** Fills the database with sample runs. */
  fillSample(): Promise<ChildEnd>;
  runService(): Promise<ChildEnd>;
  runWindow(electron: string): Promise<ChildEnd>;
}

/**
 * Brings Evoscope up and settles when it has ended, with how: the pages are built if need be, an empty database
 * is dealt with (see {@link decideSample}), and the window is opened, or the service run without one.
 */
export async function launch(
  request: StartRequest,
  window: WindowDecision,
  effects: StartEffects,
): Promise<ChildEnd> {
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
  const isInterrupted = end.signal !== null || (end.code !== null && end.code > 128);
  if (isInterrupted) return end;
  if (end.code !== 0) {
    effects.say(`The sample runs could not be written to ${name}; going on without them.`);
  }
  return null;
}

function commandFor({ argument }: StartDatabase): string {
  return `npm run sample -- --db ${argument === null ? '<the same database>' : shellWord(argument)}`;
}
