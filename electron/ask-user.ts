import { dialog, shell, type BrowserWindow } from 'electron';
import type { Connection } from './connection.ts';
import type { Databases } from './databases.ts';
import { decisionOf, problemDialog } from './dialogs.ts';
import type { LogFile } from './log-file.ts';
import type { ServiceProblem } from './server-process.ts';

export interface AskNeeds {
  readonly window: BrowserWindow;
  readonly connection: Connection;
  readonly databases: Databases;
  readonly log: LogFile;
}

/**
 * Shows why there is no service. Resolves with the user's choice: start again (with what the user allowed, or without
 * the database) or quit. The user can open the log any number of times.
 */
export async function askAboutProblem(
  needs: AskNeeds,
  problem: ServiceProblem,
): Promise<'again' | 'quit'> {
  const { window, connection, databases, log } = needs;
  process.stderr.write(`${problem.message}\n`);
  for (;;) {
    if (window.isDestroyed()) return 'quit';
    const { response } = await dialog.showMessageBox(window, problemDialog(problem, log.path));
    const { next, flags } = decisionOf(problem, response);
    if (next === 'log') {
      shell.showItemInFolder(log.path);
      continue;
    }
    if (next === 'choose') databases.leave();
    connection.allow(flags);
    return next === 'quit' ? 'quit' : 'again';
  }
}

/** Returns the problem for an error of the window itself. */
export function unexpectedProblem(error: unknown): ServiceProblem {
  return {
    message: error instanceof Error ? error.message : String(error),
    advice: 'This is a fault of Evoscope itself. Start it again.',
    log: [],
  };
}
