import type { DesktopChange, RecentEntry, DesktopState } from '#shared/desktop.ts';
import { makeUnexpectedFailure, type ServiceFailure } from './server-process.ts';
import { chooseAddress, loadPage } from './window.ts';
import { respondToPage, linkPage, type PageLink } from './page-link.ts';
import { app, dialog, Menu, nativeTheme, type BrowserWindow, safeStorage, shell } from 'electron';
import { getDesktopSettings, openSettings } from './settings.ts';
import { createConnection, type Connection } from './connection.ts';
import { createDatabases, type Databases } from './databases.ts';
import { createRunWatch } from './run-watch.ts';
import {
  getFileOfSecondStart,
  makeSecondStartDialog,
  decideAfterFailure,
  makeServiceFailureDialog,
} from './dialogs.ts';
import { getFlags, hasDatabase } from './service-options.ts';
import { hasFile } from './file-check.ts';
import { showFailure } from './window-databases.ts';
import { join } from 'node:path';
import { makeMenuActions } from './menu-actions.ts';
import { makeMenuTemplate } from './menu.ts';
import { showNotification, readRun } from './notifications.ts';
import { openLogFile, type LogFile } from './log-file.ts';
import { openPasswords, hasKeyring, type Cipher } from './passwords.ts';
import { openWindow } from './open-window.ts';
import { postOpenRequest, readOpenDatabase } from './open-database.ts';
import { makeStartPage, type StartState } from './start-page.ts';
import { superviseService, type Supervisor } from './supervisor.ts';
import { takeFile } from './file-argument.ts';

const stopTimeoutMillis = 5_000;
const watchIntervalMillis = 10_000;
const { file: fileArgument, flags } = takeFile(
  getFlags(process.argv, app.isPackaged),
  process.cwd(),
);
/** Opens a file that macOS passes in an event. Before the window exists, stores the first file for the start. */
let openFile = (file: string): void => void (firstFile ??= file);
let firstFile = fileArgument;

app.on('open-file', (event, file) => {
  event.preventDefault();
  openFile(file);
});
if (app.requestSingleInstanceLock({ flags, ...(firstFile !== undefined && { file: firstFile }) })) {
  app.enableSandbox();
  // Windows shows notifications only for programs that set such an id.
  app.setAppUserModelId('app.evoscope.desktop');
  void app.whenReady().then(run);
} else {
  reportError('Evoscope is already open: its window is in front now.');
  app.quit();
}

async function run(): Promise<void> {
  const resolveInUserData = (name: string) => join(app.getPath('userData'), name);
  const settings = openSettings(resolveInUserData('window.json'), reportError);
  const log = openLogFile(join(app.getPath('logs'), 'service.log'));
  const warn = (text: string) => page.send({ type: 'notice', kind: 'failure', text });
  const databases = createDatabases({
    settings,
    passwords: openPasswords(resolveInUserData('passwords.json'), systemCipher),
    firstDatabase: chooseFirstDatabase(),
    post: (body) => postOpenRequest(connection.getService(), body),
    ask: async (options) => (await dialog.showMessageBox(window, options)).response,
    readOpenDatabase: () => readOpenDatabase(connection.getService()),
    hasFile,
    warn,
    onChange: () => void refreshRecent(),
  });
  const connection = createConnection({
    flags,
    settings,
    log,
    getDatabase: databases.resolveStartDatabase,
    onStep: (step) => showStart(window, { step }),
    onChange: () => publish(),
    warn,
  });
  const window = openWindow(settings, connection.getService);
  const page = linkPage(
    window,
    () => connection.getService()?.url,
    (request) =>
      respondToPage({ window, connection, databases, watch, readState, change }, request),
  );
  const dependencies = { window, connection, databases, settings, log, send: page.send, change };
  const actions = makeMenuActions(dependencies);
  const watch = createRunWatch({
    read: (runId) => readRun(runId, connection.getService()),
    notify: (notification) =>
      settings.read().notifies === true &&
      showNotification(notification, window, page.send, (path) => actions.go(path)),
    onChange: () => publish(),
    intervalMillis: watchIntervalMillis,
  });
  let recentDatabases: readonly RecentEntry[] = [];
  let refreshCount = 0;
  publish();
  // Updates the menu, because other programs may have deleted or restored files. Does nothing during a start, because
  // the start must not wait for files that do not respond.
  window.on('focus', () => {
    if (connection.getService() !== undefined) void refreshRecent();
  });

  const supervisor = superviseService({
    start: connection.start,
    show(url, previousFailure) {
      if (previousFailure !== undefined)
        warn(`${previousFailure.message} Evoscope started it again.`);
      show(window, page, url);
      void refreshRecent();
      void databases.addFirstDatabase();
    },
    ask(failure) {
      showStart(window, { step: '', failure: failure.message });
      return askAboutFailure(dependencies, failure);
    },
    getNowMillis: Date.now,
  });
  openFile = (file) => void showFailure(window, file, databases.open({ file }));
  app.on('second-instance', (_event, _arguments, _directory, data) =>
    handleSecondStart(window, databases, data),
  );
  endWithWindow(supervisor);
  const end = await supervisor.end.catch((error: unknown) =>
    askAboutFailure(dependencies, makeUnexpectedFailure(error)),
  );
  app.exit(end === 'stopped' ? 0 : 1);

  function change(changes: DesktopChange): void {
    settings.change(changes);
    publish();
  }

  async function refreshRecent(): Promise<void> {
    const refreshNumber = (refreshCount += 1);
    const entries = await databases.list();
    // An earlier refresh may end after a later one. It then has old entries.
    if (refreshNumber !== refreshCount) return;
    recentDatabases = entries;
    publish();
  }

  /** Updates the theme, the menus and the page with the state of the window. */
  function publish(): void {
    const state = readState();
    nativeTheme.themeSource = state.settings.theme;
    const { platform } = process;
    const isServing = state.address !== '';
    const menuState = {
      ...state,
      recentDatabases,
      platform,
      isPackaged: app.isPackaged,
      isServing,
    };
    Menu.setApplicationMenu(Menu.buildFromTemplate(makeMenuTemplate(menuState, actions)));
    page.send({ type: 'state', state });
  }

  function readState(): DesktopState {
    return {
      settings: getDesktopSettings(settings.read()),
      address: connection.getService()?.url ?? '',
      watchedRuns: watch.getRunIds(),
    };
  }
}

/**
 * Returns the database of the first start: `configured` if flags or variables name a database, else the file that the
 * system passed, else `previous`. A checkout opens the default database instead of the previous one.
 */
function chooseFirstDatabase() {
  if (hasDatabase(flags, process.env)) return 'configured';
  if (firstFile !== undefined) return { file: firstFile };
  return app.isPackaged ? 'previous' : 'configured';
}

/**
 * Shows the start page. Does nothing if the window shows a page of the service, because such a page reports that the
 * service does not respond.
 */
function showStart(window: BrowserWindow, state: StartState): void {
  if (window.isDestroyed() || window.webContents.getURL().startsWith('http')) return;
  loadPage(window, makeStartPage(state));
}

function show(window: BrowserWindow, page: PageLink, url: string): void {
  const address = chooseAddress(window.webContents.getURL(), url, page.hasFailed());
  if (address !== null) loadPage(window, address);
}

function handleSecondStart(window: BrowserWindow, databases: Databases, data: unknown): void {
  if (window.isMinimized()) window.restore();
  window.focus();
  const file = getFileOfSecondStart(data);
  if (file !== undefined) void showFailure(window, file, databases.open({ file }));
  const message = makeSecondStartDialog(flags, data);
  if (message !== null) void dialog.showMessageBox(window, message);
}

/**
 * Stops the service when the program quits, for example after the window closes. Ends the program after 5 s at most.
 */
function endWithWindow(supervisor: Supervisor): void {
  app.once('will-quit', (event) => {
    event.preventDefault();
    setTimeout(() => app.exit(0), stopTimeoutMillis);
    void supervisor.stop();
  });
}

function reportError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Encryption with a key that the system stores for this user in its keychain, DPAPI or keyring. */
const systemCipher: Cipher = {
  isAvailable: async () =>
    (await safeStorage.isAsyncEncryptionAvailable()) && hasKeyring(process.platform, getBackend()),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes) => (await safeStorage.decryptStringAsync(bytes)).result,
};

function getBackend(): string | undefined {
  return process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : undefined;
}

interface QuestionDependencies {
  readonly window: BrowserWindow;
  readonly connection: Connection;
  readonly databases: Databases;
  readonly log: LogFile;
}

/**
 * Shows the reason why there is no service, and resolves with the user's choice. For `retry`, passes the flags that the
 * user allowed to the next start, or clears the database if the user wants to choose another one. Opens the dialog
 * again after the user opens the log. Resolves with `quit` after the end of the window.
 */
async function askAboutFailure(
  dependencies: QuestionDependencies,
  failure: ServiceFailure,
): Promise<'retry' | 'quit'> {
  const { window, connection, databases, log } = dependencies;
  process.stderr.write(`${failure.message}\n`);
  for (;;) {
    if (window.isDestroyed()) return 'quit';
    const { response } = await dialog.showMessageBox(
      window,
      makeServiceFailureDialog(failure, log.path),
    );
    const { action, flags: allowedFlags } = decideAfterFailure(failure, response);
    if (action === 'log') {
      shell.showItemInFolder(log.path);
      continue;
    }
    if (action === 'choose') databases.clear();
    connection.allow(allowedFlags);
    return action === 'quit' ? 'quit' : 'retry';
  }
}
