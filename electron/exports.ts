import { dialog, type BrowserWindow, type DownloadItem } from 'electron';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFailureDialog } from './dialogs.ts';
import { makeExportName } from './export-name.ts';
import type { SettingsStore } from './settings.ts';

/**
 * Opens the system's dialog for a file that a page saves. The dialog starts in the folder of the last saved file, which
 * the settings store. Shows a dialog if the window cannot save the complete file.
 */
export function saveByDialog(
  item: DownloadItem,
  window: BrowserWindow,
  settings: SettingsStore,
): void {
  const name = basename(item.getFilename());
  const reportFailure = () => {
    if (window.isDestroyed()) return;
    const options = makeFailureDialog(`Evoscope cannot save ${name}.`, interruptionReasons);
    void dialog.showMessageBox(window, options);
  };
  item.setSaveDialogOptions({ defaultPath: resolveInLastFolder(name, settings) });
  // Electron does not end a download that it could continue, for example after a full disk.
  item.on('updated', (_event, state) => {
    if (state !== 'interrupted') return;
    item.cancel();
    reportFailure();
  });
  item.once('done', (_event, state) => {
    if (state === 'completed') storeFolder(item.getSavePath(), settings);
    if (state === 'interrupted') reportFailure();
  });
}

const interruptionReasons =
  'The disk may be full, the folder may be read-only, or the service may have ended. Try again, or choose another folder.';

/**
 * Writes the current page as a PDF to a file that the user chooses. Resolves with true after writing the file, and with
 * false if the user cancels. Rejects with the error of Electron or of the system if printing or writing fails.
 */
export async function exportPage(window: BrowserWindow, settings: SettingsStore): Promise<boolean> {
  const { webContents } = window;
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title: 'Export page as PDF',
    defaultPath: resolveInLastFolder(makeExportName(webContents.getTitle(), 'pdf'), settings),
    filters: [{ name: 'PDF', extensions: ['pdf'] }],
  });
  if (canceled) return false;
  const pdfContent = await webContents.printToPDF({
    printBackground: true,
    landscape: true,
    pageSize: 'A4',
  });
  await writeFile(filePath, pdfContent);
  storeFolder(filePath, settings);
  return true;
}

function resolveInLastFolder(name: string, settings: SettingsStore): string {
  return join(settings.read().exportFolder ?? '', name);
}

function storeFolder(file: string, settings: SettingsStore): void {
  if (file !== '') settings.change({ exportFolder: dirname(file) });
}
