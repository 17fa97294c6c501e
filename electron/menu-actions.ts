import { app, clipboard, dialog, shell, type BrowserWindow } from 'electron';
import { arch, platform, release } from 'node:os';
import type { DesktopChange, DesktopMessage } from '#shared/desktop.ts';
import type { Connection } from './connection.ts';
import type { Databases } from './databases.ts';
import { makeAboutDialog, makeFailureDialog } from './dialogs.ts';
import { exportPage } from './exports.ts';
import type { LogFile } from './log-file.ts';
import type { MenuActions } from './menu.ts';
import type { SettingsStore } from './settings.ts';
import { loadPage } from './window.ts';
import { chooseAndOpen, showFailure } from './window-databases.ts';

/** Dependencies of {@link makeMenuActions}. */
export interface MenuActionDependencies {
  readonly window: BrowserWindow;
  readonly connection: Connection;
  readonly databases: Databases;
  readonly settings: SettingsStore;
  readonly log: LogFile;
  readonly send: (message: DesktopMessage) => void;
  readonly change: (settings: DesktopChange) => void;
}

/** Creates the actions of the menu items for this window. */
export function makeMenuActions(dependencies: MenuActionDependencies): MenuActions {
  const { window, connection, databases, settings, log, send } = dependencies;
  const { navigationHistory } = window.webContents;
  const copy = async (name: string, text: string | undefined) => {
    if (text === undefined) return;
    await clipboard.writeText(text);
    send({ type: 'notice', kind: 'done', text: `Copied ${name}` });
  };
  return {
    openDatabase: () => void chooseAndOpen(window, databases, 'open'),
    createDatabase: () => void chooseAndOpen(window, databases, 'create'),
    openRecentDatabase: ({ id, location }) =>
      void showFailure(window, location, databases.openRecentDatabase(id)),
    clearRecentDatabases: () => databases.clearRecentDatabases(),
    go: (path) => go(dependencies, path),
    show: (name) => show(dependencies, name),
    goBack: () => navigationHistory.goBack(),
    goForward: () => navigationHistory.goForward(),
    exportPage: () =>
      void exportPage(window, settings).catch((error: unknown) =>
        dialog.showMessageBox(window, makeFailureDialog('Evoscope cannot export the page.', error)),
      ),
    copyAddress: () => void copy('the address of the API', connection.getService()?.url),
    copyToken: () => void copy('the token of the API', connection.getService()?.token),
    change: (changes) => dependencies.change(changes),
    showLog: () => shell.showItemInFolder(log.path),
    showAbout: () => void showAbout(window),
  };
}

/**
 * Shows a page. Sends its path to the app, which navigates without loading. If the path is in `/api/`, or the window
 * shows such a page, loads the page instead, unless there is no service.
 */
function go({ window, connection, send }: MenuActionDependencies, path: string): void {
  if (!path.startsWith('/api/') && hasApp(window)) return send({ type: 'go', path });
  const service = connection.getService();
  if (service !== undefined) loadPage(window, new URL(path, service.url).href);
}

/**
 * Opens a dialog of the app. Loads the app first if the window shows a page of `/api/`. Does nothing without a service.
 */
function show(
  { window, connection, send }: MenuActionDependencies,
  name: Parameters<MenuActions['show']>[0],
): void {
  const service = connection.getService();
  if (service === undefined) return;
  if (!hasApp(window)) loadPage(window, service.url);
  send({ type: 'show', dialog: name });
}

/**
 * Returns whether the window shows a page that can receive messages now or later, such as the start page. A page of
 * `/api/` receives no messages.
 */
function hasApp({ webContents }: BrowserWindow): boolean {
  return URL.parse(webContents.getURL())?.pathname.startsWith('/api/') !== true;
}

async function showAbout(window: BrowserWindow): Promise<void> {
  const system = `${platform()} ${release()} ${arch()}`;
  const about = makeAboutDialog(app.getVersion(), process.versions, system);
  const { response } = await dialog.showMessageBox(window, about);
  if (response === 1) await clipboard.writeText(`${about.message}\n${about.detail}`);
}
