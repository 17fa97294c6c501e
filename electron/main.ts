import { app, BrowserWindow, dialog, nativeTheme, screen, shell } from 'electron';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { decisionOf, problemDialog, secondStartDialog } from './dialogs.ts';
import { forkService } from './fork-service.ts';
import { portOrAny } from './free-port.ts';
import { guardSession, guardWindow } from './guard.ts';
import { changedFile } from './integrity.ts';
import { ServiceStartError, startService, type ServiceProblem } from './server-process.ts';
import { flagsOf, serviceOptions, unpacked } from './service-options.ts';
import { readSettings, writeSettings, type Settings } from './settings.ts';
import { superviseService, type Supervisor } from './supervisor.ts';
import { addressToShow, windowOptions } from './window.ts';

const readyTimeoutMillis = 60_000;
const stopTimeoutMillis = 5_000;

const flags = flagsOf(process.argv, app.isPackaged);
const fallbackToken = randomBytes(32).toString('base64url');
const settingsFile = () => join(app.getPath('userData'), 'window.json');

/** The address and token of the service that the window shows at the moment. */
let service: { url: string; token: string } | undefined;
let settings: Settings = {};
/** Flags for what the user has allowed the next start to do. */
let allowed: readonly string[] = [];

if (app.requestSingleInstanceLock({ flags })) {
  app.enableSandbox();
  void app.whenReady().then(run);
} else {
  process.stderr.write('Evoscope is already open: its window was brought to the front.\n');
  app.quit();
}

async function run(): Promise<void> {
  settings = readSettings(settingsFile());
  const window = createWindow();
  const supervisor = superviseService({
    start: (signal) => start(signal),
    show: (url) => show(window, url),
    ask: (problem) => ask(window, problem),
    nowMillis: Date.now,
  });
  app.on('second-instance', (_event, _arguments, _directory, data) => comeToFront(window, data));
  endWithWindow(window, supervisor);
  const end = await supervisor.finished.catch((error: unknown) => ask(window, unexpected(error)));
  app.exit(end === 'stopped' ? 0 : 1);
}

function createWindow(): BrowserWindow {
  const window = new BrowserWindow(
    windowOptions({
      preload: join(app.getAppPath(), 'dist', 'electron', 'preload.cjs'),
      version: app.getVersion(),
      isDark: nativeTheme.shouldUseDarkColors,
      lastBounds: settings.bounds,
      workAreas: screen.getAllDisplays().map(({ workArea }) => workArea),
    }),
  );
  guardSession(window.webContents.session, () => service);
  guardWindow(window, () => service?.url, {
    openOutside: (address) => void shell.openExternal(address),
    ask: async (question) => (await dialog.showMessageBox(window, question)).response,
  });
  window.setTitle('Evoscope – opening the database…');
  return window;
}

async function start(signal: AbortSignal) {
  if (app.isPackaged) requireOwnFiles(app.getAppPath());
  const port = await portOrAny(settings.port);
  const paths = {
    program: app.getAppPath(),
    userData: app.getPath('userData'),
    isPackaged: app.isPackaged,
  };
  const options = serviceOptions(paths, [...flags, ...allowed], process.env, {
    port,
    token: fallbackToken,
  });
  const running = await startService(forkService(options), { readyTimeoutMillis, signal });
  allowed = [];
  service = { url: running.url, token: options.token };
  // Whoever takes the port next must not be given the token.
  void running.ended.then(() => (service = undefined));
  settings = { ...settings, port: Number(new URL(running.url).port) };
  return running;
}

/** Refuses to run a service that somebody else may have written: it would be given the database's password. */
function requireOwnFiles(program: string): void {
  const changed = changedFile(program, unpacked(program));
  if (changed === null) return;
  throw new ServiceStartError({
    message: `The file ${changed} of Evoscope is not the one that was installed.`,
    advice: 'Install Evoscope again. If you did not change the file, find out who did.',
    log: [],
  });
}

function show(window: BrowserWindow, url: string): void {
  const address = addressToShow(window.webContents.getURL(), url);
  if (address !== null) void window.loadURL(address);
}

async function ask(window: BrowserWindow, problem: ServiceProblem): Promise<'again' | 'quit'> {
  process.stderr.write(`${problem.message}\n`);
  if (window.isDestroyed()) return 'quit';
  const { response } = await dialog.showMessageBox(window, problemDialog(problem));
  const { next, flags: further } = decisionOf(problem, response);
  allowed = further;
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

/** The window's end is the program's: its place is remembered, the service is asked to stop, then all ends. */
function endWithWindow(window: BrowserWindow, supervisor: Supervisor): void {
  window.on('close', () => {
    settings = { ...settings, bounds: window.getNormalBounds() };
    writeSettings(settingsFile(), settings);
  });
  app.once('will-quit', (event) => {
    event.preventDefault();
    setTimeout(() => app.exit(0), stopTimeoutMillis);
    void supervisor.stop();
  });
}
