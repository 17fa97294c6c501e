import { app, utilityProcess } from 'electron';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findPort } from './free-port.ts';
import { findChangedFile } from './integrity.ts';
import type { LogFile } from './log-file.ts';
import {
  makeUnexpectedFailure,
  ServiceStartError,
  startService,
  type RunningService,
  type ServiceProcess,
} from './server-process.ts';
import {
  makeServiceOptions,
  resolveUnpackedFolder,
  type ServiceOptions,
  type StartDatabase,
} from './service-options.ts';
import { getDesktopSettings, type SettingsStore } from './settings.ts';

const messageTimeoutMillis = 20_000;

/** Address and token of the running service, for requests to it. */
export interface ServiceAccess {
  readonly url: string;
  readonly token: string;
}

/** Access to the one service that the window shows. */
export interface Connection {
  /** Returns the ready service; undefined before a service is ready and after it has ended. */
  readonly getService: () => ServiceAccess | undefined;
  /**
   * Forks a service and waits until it is ready. A packaged program first checks the files of the service. Aborting
   * `signal` ends the start. Rejects with a {@link ServiceStartError}.
   */
  readonly start: (signal: AbortSignal) => Promise<RunningService>;
  /** Adds flags, which the user allowed, to each start until one succeeds. Replaces the flags of the previous call. */
  readonly allow: (flags: readonly string[]) => void;
}

/** Dependencies of {@link createConnection}. */
export interface ConnectionDependencies {
  /** Flags that the window passes to each service. */
  readonly flags: readonly string[];
  readonly settings: SettingsStore;
  readonly log: LogFile;
  /** Returns the database that the next service opens. */
  readonly getDatabase: () => Promise<StartDatabase>;
  /** Reports the current step until there is a service. */
  readonly onStep: (step: string) => void;
  /** Handles each change of {@link Connection.getService}. */
  readonly onChange: () => void;
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void;
}

/**
 * Creates the connection to services that this program forks. Each service gets the same random token, unless the
 * user's flags or variables set another token.
 */
export function createConnection(dependencies: ConnectionDependencies): Connection {
  const windowToken = randomBytes(32).toString('base64url');
  let service: ServiceAccess | undefined;
  let allowedFlags: readonly string[] = [];

  const setService = (nextService: ServiceAccess | undefined) => {
    service = nextService;
    dependencies.onChange();
  };

  const start = async (signal: AbortSignal): Promise<RunningService> => {
    if (app.isPackaged) {
      dependencies.onStep('Checking the installation');
      requireOwnFiles(app.getAppPath());
    }
    dependencies.onStep('Starting the service');
    const port = await choosePort(dependencies);
    const windowOptions = {
      port,
      token: windowToken,
      database: await dependencies.getDatabase(),
      isRecording: getDesktopSettings(dependencies.settings.read()).isRecording,
    };
    const flags = [...dependencies.flags, ...allowedFlags];
    const compileCache = join(app.getPath('userData'), 'compiled');
    const paths = { program: app.getAppPath(), compileCache };
    const options = makeServiceOptions(paths, flags, process.env, windowOptions);
    const child = forkService(options);
    child.onErrorOutput((text) => dependencies.log.add(text));
    const runningService = await startService(child, {
      messageTimeoutMillis,
      onStep: dependencies.onStep,
      signal,
    });
    allowedFlags = [];
    dependencies.settings.change({ port: Number(new URL(runningService.url).port) });
    setService({ url: runningService.url, token: options.token });
    // The program that gets the port next must not receive the token.
    void runningService.end.then(() => setService(undefined));
    return runningService;
  };

  return {
    getService: () => service,
    allow: (flags) => (allowedFlags = flags),
    start: (signal) =>
      start(signal).catch((error: unknown) => {
        if (error instanceof ServiceStartError) throw error;
        throw new ServiceStartError(makeUnexpectedFailure(error));
      }),
  };
}

/**
 * Returns the fixed port, or the previous port if there is no fixed one. Returns 0 (any free port) if there is neither,
 * or if the selected port is not free. Warns the user about a fixed port that is not free.
 */
async function choosePort({ settings, warn }: ConnectionDependencies): Promise<number> {
  const { fixedPort, port } = settings.read();
  const freePort = await findPort(fixedPort ?? port);
  if (typeof fixedPort === 'number' && freePort === 0) {
    warn(
      `Another program uses the fixed port ${fixedPort}, so the API has another port until the next start. Quit that program or change the port, then restart Evoscope.`,
    );
  }
  return freePort;
}

/**
 * Throws a {@link ServiceStartError} if a file of the service differs from the packaged one, because the service
 * receives the database password. Throws the error of {@link findChangedFile} if the checksums are missing or invalid.
 */
function requireOwnFiles(program: string): void {
  const changedFile = findChangedFile(program, resolveUnpackedFolder(program));
  if (changedFile === null) return;
  throw new ServiceStartError({
    message: `The file ${changedFile} of Evoscope has changed since the installation.`,
    advice: 'Find out who changed the file, then install Evoscope again.',
    log: [],
  });
}

/** Forks the service as a utility process of Electron. Copies its output to the output of this program. */
function forkService({ entry, args, environment }: ServiceOptions): ServiceProcess {
  const child = utilityProcess.fork(entry, args, {
    env: environment,
    cwd: process.cwd(),
    stdio: ['ignore', 'pipe', 'pipe'],
    serviceName: 'Evoscope service',
  });
  child.stdout?.pipe(process.stdout, { end: false });
  // A character may arrive in two chunks.
  child.stderr?.setEncoding('utf8');
  child.stderr?.pipe(process.stderr, { end: false });
  return {
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    onErrorOutput: (listener) => child.stderr?.on('data', (data) => listener(String(data))),
    kill: () => {
      // Electron cannot end a process that it has not created yet.
      if (!child.kill()) child.once('spawn', () => child.kill());
    },
  };
}
