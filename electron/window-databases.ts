import { dialog, type BrowserWindow } from 'electron';
import type { DesktopOutcome } from '#shared/desktop.ts';
import type { Databases } from './databases.ts';
import { makeFailureDialog } from './dialogs.ts';
import { hasFile } from './file-check.ts';

const filters = [
  { name: 'Databases', extensions: ['db', 'db3', 'sqlite', 'sqlite3'] },
  { name: 'All files', extensions: ['*'] },
];

/**
 * Opens the system's dialog for an existing file or for the name of a new file. Resolves with the path of the file;
 * null if the user cancels.
 */
export async function chooseFile(
  window: BrowserWindow,
  purpose: 'open' | 'create',
): Promise<string | null> {
  if (purpose === 'open') {
    const { filePaths } = await dialog.showOpenDialog(window, {
      title: 'Open database',
      properties: ['openFile'],
      filters,
    });
    return filePaths[0] ?? null;
  }
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title: 'New database',
    buttonLabel: 'Create database',
    defaultPath: 'runs.db',
    filters,
  });
  return canceled ? null : filePath;
}

/**
 * Opens the file that the user chooses; does nothing if the user cancels. For `create`, creates a missing file without
 * a further question. Shows a dialog if opening fails.
 */
export async function chooseAndOpen(
  window: BrowserWindow,
  databases: Databases,
  purpose: 'open' | 'create',
): Promise<void> {
  const file = await chooseFile(window, purpose);
  if (file === null) return;
  // If the drive does not respond, the file may exist, so the service must not create tables in it.
  const permissions = purpose === 'create' && !(await hasFile(file)) ? { create: true } : {};
  await showFailure(window, file, databases.open({ file }, permissions));
}

/** Shows a dialog with the reason if opening a database failed. Does nothing after the end of the window. */
export async function showFailure(
  window: BrowserWindow,
  location: string,
  outcome: Promise<DesktopOutcome>,
): Promise<void> {
  const { failure } = await outcome;
  if (failure === null || window.isDestroyed()) return;
  await dialog.showMessageBox(
    window,
    makeFailureDialog(`Evoscope cannot open ${location}.`, failure),
  );
}
