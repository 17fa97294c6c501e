import type { MessageBoxOptions } from 'electron';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ServiceProblem } from './server-process.ts';

/** What a second start of the program sends to the first. */
const secondStart = z.object({ flags: z.array(z.string()) });

const againButton = 0;

/** The question after a service that could not be started or ended: try again or quit. */
export function problemDialog({ message, advice, log }: ServiceProblem): MessageBoxOptions {
  return question(message, [advice, ...(log.length === 0 ? [] : ['', 'Last messages:', ...log])]);
}

/** The question after the page itself ended; `reason` as Electron names it, e.g. `crashed` or `oom`. */
export function pageGoneDialog(reason: string): MessageBoxOptions {
  const cause = reason === 'oom' ? 'it ran out of memory' : reason;
  return question(`The page stopped working (${cause}).`, [
    'Nothing in the database is affected. Try again to load it anew.',
  ]);
}

/**
 * What the window says to somebody who started Evoscope again with other flags than `first`; null when they
 * are the same or `data`, what the second start sent, is not `{ flags }`.
 */
export function secondStartDialog(
  first: readonly string[],
  data: unknown,
): MessageBoxOptions | null {
  const parsed = secondStart.safeParse(data);
  if (!parsed.success || isDeepStrictEqual(parsed.data.flags, first)) return null;
  return {
    type: 'info',
    title: 'Evoscope',
    message: 'Evoscope is already open.',
    detail: `Close it first to start it with: ${parsed.data.flags.join(' ') || 'no flags'}`,
    buttons: ['OK'],
  };
}

/** What the chosen button of one of the questions above means. Closing the dialog counts as quitting. */
export function answerOf(response: number): 'again' | 'quit' {
  return response === againButton ? 'again' : 'quit';
}

function question(message: string, details: string[]): MessageBoxOptions {
  return {
    type: 'error',
    title: 'Evoscope',
    message,
    detail: details.join('\n').trim(),
    buttons: ['Try again', 'Quit'],
    defaultId: againButton,
    cancelId: 1,
    noLink: true,
  };
}
