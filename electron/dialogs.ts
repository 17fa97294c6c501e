import type { MessageBoxOptions } from 'electron';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { StartUpCode } from '#shared/desktop.ts';
import type { ServiceFailure } from './server-process.ts';

/** The data that a second start of the program sends to the first one: the flags, and the file to open. */
const secondStart = z.object({ flags: z.array(z.string()), file: z.string().optional() });

/** The button that allows the fix of a failure, and the flags of the fix, by the code of the failure. */
const permissions: Readonly<Record<StartUpCode, { button: string; flags: readonly string[] }>> = {
  LEGACY_SCHEMA: { button: 'Back up and replace', flags: ['--legacy', 'replace'] },
  TABLES_OF_OTHERS: { button: 'Add tables', flags: ['--create'] },
  FILE_MISSING: { button: 'Create database', flags: ['--create'] },
};

/**
 * Returns the dialog to show after a service fails to start or ends. Its buttons allow the fix if there is one, retry,
 * choose another database, show the log in its folder, and quit. Without a fix, the dialog also shows the last messages
 * and `logPath`. The default button never changes existing data.
 */
export function makeServiceFailureDialog(
  { message, advice, log, code }: ServiceFailure,
  logPath: string,
): MessageBoxOptions {
  const messages = log.length === 0 ? [] : ['', 'Last messages:', ...log];
  const logHint = `The whole log is in ${logPath}`;
  if (code === undefined) return makeQuestionDialog(message, [advice, ...messages, '', logHint]);
  const dialog = makeQuestionDialog(
    message,
    [advice],
    [permissions[code].button, ...defaultButtons],
  );
  return { ...dialog, type: 'question', defaultId: code === 'FILE_MISSING' ? 0 : dialog.cancelId };
}

/**
 * Returns the dialog that asks whether the service may change a database to open it. The first button has the label
 * `button` and allows the change. It is the default button only for a missing or empty database.
 */
export function makePermissionDialog(
  { code, detail }: { code: string; detail: string },
  button: string,
): MessageBoxOptions {
  const dialog = makeQuestionDialog(detail, [], [button, 'Cancel']);
  return { ...dialog, type: 'question', defaultId: code === 'CREATE_NEEDED' ? 0 : dialog.cancelId };
}

/**
 * Returns the action and the additional flags of the chosen button of {@link makeServiceFailureDialog}. `response` is
 * the index of the button. Closing the dialog also quits.
 */
export function decideAfterFailure(
  { code }: ServiceFailure,
  response: number,
): { action: 'retry' | 'choose' | 'log' | 'quit'; flags: readonly string[] } {
  if (code !== undefined && response === 0)
    return { action: 'retry', flags: permissions[code].flags };
  const buttonIndex = code === undefined ? response : response - 1;
  return { action: (['retry', 'choose', 'log'] as const)[buttonIndex] ?? 'quit', flags: [] };
}

/** Returns the dialog to show after the page crashes. `reason` is Electron's reason, for example `crashed` or `oom`. */
export function makePageCrashDialog(reason: string): MessageBoxOptions {
  const cause = reason === 'oom' ? 'it ran out of memory' : reason;
  const advice = 'Retry to reload the page; the crash does not affect the database.';
  return makeQuestionDialog(`The page stopped working (${cause}).`, [advice], ['Retry', 'Quit']);
}

/** Returns the file that a second start opens; undefined if there is none or `data` is invalid. */
export function getFileOfSecondStart(data: unknown): string | undefined {
  return secondStart.safeParse(data).data?.file;
}

/**
 * Returns the dialog for a second start with flags other than `firstFlags`; null if the flags are equal, if the second
 * start opens a file, or if `data` is invalid.
 */
export function makeSecondStartDialog(
  firstFlags: readonly string[],
  data: unknown,
): MessageBoxOptions | null {
  const { flags, file } = secondStart.safeParse(data).data ?? {};
  if (flags === undefined || file !== undefined || isDeepStrictEqual(flags, firstFlags))
    return null;
  return {
    type: 'info',
    title: 'Evoscope',
    message: 'Evoscope is already open.',
    detail: `Close it first to start it with: ${flags.join(' ') || 'no flags'}`,
    buttons: ['OK'],
  };
}

/** Returns the dialog about a failed action. `message` names the action, and `error` is the reason. */
export function makeFailureDialog(message: string, error: unknown): MessageBoxOptions {
  const detail = error instanceof Error ? error.message : String(error);
  return { type: 'error', title: 'Evoscope', message, detail, buttons: ['OK'] };
}

/**
 * Returns the dialog about the program, its versions and the system. The second button copies this text. `version` is
 * the version of the program. `versions` is Node's `process.versions`; the dialog shows `unknown` for a missing
 * version. `system` names the operating system.
 */
export function makeAboutDialog(
  version: string,
  versions: Readonly<Record<string, string | undefined>>,
  system: string,
): MessageBoxOptions {
  const components = {
    Electron: versions.electron,
    Chromium: versions.chrome,
    Node: versions.node,
  };
  const lines = Object.entries(components).map(
    ([name, number]) => `${name} ${number ?? 'unknown'}`,
  );
  return {
    type: 'info',
    title: 'About Evoscope',
    message: `Evoscope ${version}`,
    detail: [
      ...lines,
      system,
      '',
      'MIT licence. The program contains the licence notices of all its parts.',
    ].join('\n'),
    buttons: ['OK', 'Copy'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
}

/** Returns the action of the chosen button of {@link makePageCrashDialog}. Closing the dialog also quits. */
export function decideAfterCrash(response: number): 'retry' | 'quit' {
  return response === 0 ? 'retry' : 'quit';
}

const defaultButtons = ['Retry', 'Choose another database…', 'Show log', 'Quit'];

function makeQuestionDialog(
  message: string,
  details: string[],
  buttons = defaultButtons,
): MessageBoxOptions & { cancelId: number } {
  return {
    type: 'error',
    title: 'Evoscope',
    message,
    detail: details.join('\n').trim(),
    buttons,
    defaultId: 0,
    cancelId: buttons.length - 1,
    noLink: true,
  };
}
