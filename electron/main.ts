import { app, dialog, Menu, nativeTheme, type BrowserWindow } from 'electron';
import { join } from 'node:path';
import type { DesktopChange, DesktopRequest, DesktopState } from '#shared/desktop.ts';
import { createConnection, type Connection } from './connection.ts';
import { decisionOf, problemDialog, secondStartDialog } from './dialogs.ts';
import { openLogFile } from './log-file.ts';
import { menuActions } from './menu-actions.ts';
import { menuTemplate } from './menu.ts';
import { notifyOf, readRun } from './notifications.ts';
import { openWindow } from './open-window.ts';
import { linkPage } from './page-link.ts';
import { createRunWatch } from './run-watch.ts';
import type { ServiceProblem } from './server-process.ts';
import { flagsOf } from './service-options.ts';
import { chosenSettings, openSettings } from './settings.ts';
import { superviseService, type Supervisor } from './supervisor.ts';
import { addressToShow } from './window.ts';

const stopTimeoutMillis = 5_000;
const watchMillis = 10_000;
const flags = flagsOf(process.argv, app.isPackaged);

if (app.requestSingleInstanceLock({ flags })) {
  app.enableSandbox();
  // Windows shows notifications of programs that it knows by this name only.
  app.setAppUserModelId('app.evoscope.desktop');
  void app.whenReady().then(run);
} else {
  complain('Evoscope is already open: its window was brought to the front.');
  app.quit();
}

async function run(): Promise<void> {
  const settings = openSettings(join(app.getPath('userData'), 'window.json'), complain);
  const log = openLogFile(join(app.getPath('logs'), 'service.log'));
  const connection = createConnection({
    flags,
    settings,
    log,
    onChange: () => publish(),
    warn: (text) => page.tell({ tell: 'say', kind: 'failure', text }),
  });
  const window = openWindow(settings, connection.current);
  const page = linkPage(window, () => connection.current()?.url, answer);
  const actions = menuActions({ window, connection, settings, log, tell: page.tell, change });
  const watch = createRunWatch({
    read: (runId) => readRun(runId, connection.current()),
    notify: (news) => settings.read().notifies === true && notifyOf(news, window, page.tell),
    onChange: () => publish(),
    intervalMillis: watchMillis,
  });
  publish();

  const supervisor = superviseService({
    start: connection.start,
    show(url, ended) {
      const text = `${ended?.message ?? ''} It was started again.`;
      if (ended !== undefined) page.tell({ tell: 'say', kind: 'failure', text });
      show(window, url);
    },
    ask: (problem) => ask(window, connection, problem),
    nowMillis: Date.now,
  });
  app.on('second-instance', (_event, _arguments, _directory, data) => comeToFront(window, data));
  endWithWindow(supervisor);
  const end = await supervisor.finished.catch((error: unknown) =>
    ask(window, connection, unexpected(error)),
  );
  app.exit(end === 'stopped' ? 0 : 1);

  function change(part: DesktopChange): void {
    settings.change(part);
    publish();
  }

  /** Shows in the menus, on the page and in the system's own dialogs how the window stands. */
  function publish(): void {
    const state = currentState();
    nativeTheme.themeSource = state.settings.theme;
    const { platform } = process;
    const shown = {
      ...state,
      platform,
      isPackaged: app.isPackaged,
      isServing: state.address !== '',
    };
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(shown, actions)));
    page.tell({ tell: 'state', state });
  }

  function currentState(): DesktopState {
    return {
      settings: chosenSettings(settings.read()),
      address: connection.current()?.url ?? '',
      watchedRuns: watch.runIds(),
    };
  }

  function answer(request: DesktopRequest): unknown {
    if (request.ask === 'token') return connection.current()?.token;
    if (request.ask === 'change') change(request.settings);
    if (request.ask === 'watch') watch.watch(request.runId, request.isWatched);
    return currentState();
  }
}

function show(window: BrowserWindow, url: string): void {
  const address = addressToShow(window.webContents.getURL(), url);
  if (address !== null) void window.loadURL(address);
}

async function ask(
  window: BrowserWindow,
  connection: Connection,
  problem: ServiceProblem,
): Promise<'again' | 'quit'> {
  complain(problem.message);
  if (window.isDestroyed()) return 'quit';
  const { response } = await dialog.showMessageBox(window, problemDialog(problem));
  const { next, flags: further } = decisionOf(problem, response);
  connection.allow(further);
  return next;
}

function unexpected(error: unknown): ServiceProblem {
  return {
    message: error instanceof Error ? error.message : String(error),
    advice: 'This is a fault of Evoscope itself. Start it again.',
    log: [],
  };
}

function comeToFront(window: BrowserWindow, data: unknown): void {
  if (window.isMinimized()) window.restore();
  window.focus();
  const other = secondStartDialog(flags, data);
  if (other !== null) void dialog.showMessageBox(window, other);
}

/** The window's end is the program's: the service is asked to stop, then all ends. */
function endWithWindow(supervisor: Supervisor): void {
  app.once('will-quit', (event) => {
    event.preventDefault();
    setTimeout(() => app.exit(0), stopTimeoutMillis);
    void supervisor.stop();
  });
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}
