import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { noDatabaseYet, type ServiceMessage, type StartUpCode } from '#shared/desktop.ts';
import { defaultLimits } from './analysis/memory.ts';
import { createApp, createApi } from './http/app.ts';
import { createErrorConverter, type McpOptions } from './http/bind-mcp.ts';
import { readCommand, type Config } from './config.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from './db/open.ts';
import { Replica } from './db/replica.ts';
import { StartUpError } from './db/start-up-error.ts';
import { describeDatabase, type DatabaseUrl } from './db/url.ts';
import { createHttpServer } from './http/guards.ts';
import { createLogger } from './logger.ts';
import { Databases, type FirstDatabase } from './runtime/databases.ts';
import type { Session, SessionContext, SessionData } from './runtime/session.ts';
import { Shutdown, stopService, type StoppableService } from './runtime/shutdown.ts';
import { formatHelp } from './settings.ts';
import { readLockMillis, requestConnections } from './runtime/threads.ts';
import packageFile from '#package.json' with { type: 'json' };

/**
 * Runs the command of the process's flags and environment variables: shows help, version or faults, or starts the
 * service. Resolves after the start. A signal, or the disconnection of the parent process, stops the service.
 * `isForStdio`: the service also serves the MCP client at standard input and output, and writes no other text to
 * standard output. In this case, the function resolves, and the service stops, when the client disconnects.
 */
export async function main({ isForStdio = false } = {}): Promise<void> {
  const flags = process.argv.slice(2);
  const command = readCommand(flags, process.env, process.cwd(), { isForStdio });
  switch (command.kind) {
    case 'help':
      process.stdout.write(`${formatHelp({ isForStdio })}\n`);
      break;
    case 'version':
      process.stdout.write(`${packageFile.version}\n`);
      break;
    case 'faults':
      fail(command.faults, 2);
      break;
    case 'run':
      await run(command.config, isForStdio);
  }
}

async function run(config: Config, isForStdio: boolean): Promise<void> {
  setProcessTitle(config.database);
  const logger = createLogger(config.logLevel);
  try {
    const service = await start(config, logger, isForStdio);
    const url = getAddress(config.host, getPort(service.server));
    const stop = stopOnSignal(service);
    const output = isForStdio ? process.stderr : process.stdout;
    output.write(`Evoscope ready at ${url} (${describeUrl(config.database)})\n`);
    report({ type: 'ready', url });
    if (isForStdio) await serveClient(service, config, url).finally(stop);
  } catch (error) {
    if (!(error instanceof StartUpError))
      logger.fatal({ err: error }, 'The start failed. Correct the error, then start again');
    const message = error instanceof Error ? error.message : String(error);
    fail([message], 1, error instanceof StartUpError ? error.code : undefined);
  }
}

/**
 * Replaces the title of the process. On Linux and macOS, other users of the machine then do not see its flags with
 * their secrets.
 */
function setProcessTitle(database: DatabaseUrl | null): void {
  process.title = `evoscope (${describeUrl(database)})`;
}

function describeUrl(database: DatabaseUrl | null): string {
  return database === null ? noDatabaseYet : describeDatabase(database);
}

/** Serves the MCP client at standard input and output, with the database that is open at each call. */
async function serveClient(
  { databases, logger }: RunningService,
  config: Config,
  address: string,
): Promise<void> {
  // Only the service of an MCP client needs the module, so this function loads it.
  const { serveStdio } = await import('#server/mcp/server.ts');
  const classifyFailure: SessionData['classifyFailure'] = (error) =>
    databases.currentSession.classifyFailure(error);
  await serveStdio(
    {
      ...getMcpOptions(config),
      address,
      respond: (name, input) => databases.currentSession.respond(name, input),
      toProblemError: createErrorConverter({ classifyFailure }, logger),
    },
    (message) => logger.warn(message),
  );
}

/** A service with its databases. */
interface RunningService extends StoppableService {
  databases: Databases;
}

async function start(config: Config, logger: Logger, isForStdio: boolean): Promise<RunningService> {
  const traceFiles = await openTraceFiles(config, logger);
  const database = config.database && (await open(config, config.database, logger));
  const replica = database && (await openReplica(config, database, logger));
  const server = createHttpServer();
  // Listens before the databases start threads, because a failed start would have to wait for them.
  await listen(server, config).catch(async (error: unknown) => {
    await replica?.close();
    await database?.close();
    throw error;
  });
  const shutdown = new Shutdown();
  const firstDatabase = database && { database, replica };
  const isPreparing = !isForStdio;
  const databases = serve(config, firstDatabase, { traceFiles, shutdown, logger, isPreparing });
  const port = getPort(server);
  const app = createApp({
    databases,
    logger,
    security: {
      allowedHosts: [...config.allowedHosts, formatOwnHost(config.host, port)],
      token: config.token,
      port,
    },
    pagesFolder: config.pagesFolder ?? findBuiltPages(),
    stopSignal: shutdown.stopSignal,
  });
  server.on('request', app);
  await databases.currentSession.startup;
  return { server, databases, shutdown, logger };
}

/**
 * Returns the options of the configured cache of traces; undefined if there is no such cache, or if the service cannot
 * create or inspect its folder. Throws a StartUpError if the service must not use the folder, for example because
 * others have access to it.
 */
async function openTraceFiles(
  { cacheDirectory, cacheMegabytes }: Config,
  logger: Logger,
): Promise<SessionContext['traceFiles']> {
  if (cacheDirectory === undefined) return undefined;
  const { openTraceFolder } = await import('./runtime/trace-files.ts');
  return openTraceFolder(cacheDirectory, cacheMegabytes, (message) => logger.warn(message));
}

function open(config: Config, url: DatabaseUrl, logger: Logger): Promise<Database> {
  logger.info({ database: describeDatabase(url) }, 'Opening the database');
  report(makeOpeningStep(config, url));
  return openDatabase(url, {
    isReadOnly: config.isReadOnly,
    maximumConnections: requestConnections,
    lockTimeoutMillis: readLockMillis,
    legacy: config.legacy,
    canCreate: config.canCreate,
    notify: (message) => logger.warn(message),
  });
}

/**
 * Checks the configured replica and returns it; null if there is none. If the check fails, closes both databases and
 * throws the error.
 */
async function openReplica(
  { replica: url }: Config,
  database: Database,
  logger: Logger,
): Promise<Replica | null> {
  if (url === null) return null;
  const replica = new Replica(url, database, {
    maximumConnections: requestConnections,
    lockTimeoutMillis: readLockMillis,
    notify: (message) => logger.warn(message),
  });
  try {
    await replica.start();
    return replica;
  } catch (error) {
    await Promise.all([replica.close(), database.close()]);
    throw error;
  }
}

/**
 * Returns the progress message about opening a database. The step has no time limit if `legacy` is `replace`, because
 * a backup of old tables can take long.
 */
function makeOpeningStep({ legacy }: Config, url: DatabaseUrl): ServiceMessage {
  const step = `Opening ${describeDatabase(url).replace(/^\w+: /, '')}`;
  if (legacy !== 'replace') return { type: 'progress', step };
  return { type: 'progress', step: `${step} with a backup of its old tables`, canTakeLong: true };
}

function serve(
  config: Config,
  firstDatabase: FirstDatabase | null,
  sessionContext: Pick<SessionContext, 'traceFiles' | 'shutdown' | 'logger' | 'isPreparing'>,
): Databases {
  const { logger } = sessionContext;
  const context = {
    ...sessionContext,
    version: packageFile.version,
    canChoose: config.choosingRules !== null,
    isRecording: config.isRecording,
    memoryLimits: { ...defaultLimits, traceMegabytes: config.traceMegabytes },
    getArtifacts: ({ file }: Database) =>
      config.artifactsDirectory ?? (file === null ? undefined : join(dirname(file), 'results')),
    createApi: (data: SessionData) => createApi(data, logger, getMcpOptions(config)),
    rules: config.choosingRules,
    isReadOnly: config.isReadOnly,
    onSwitch: ({ database }: Session) => {
      setProcessTitle(database?.location ?? null);
      logger.info(
        { database: describeUrl(database?.location ?? null) },
        'Switched to the database',
      );
    },
  };
  return new Databases(context, firstDatabase);
}

/**
 * Returns the options for clients of the Model Context Protocol. These clients can request stops if the user has
 * enabled such requests or recording, unless the service is read-only.
 */
function getMcpOptions({ isRecording, canControlByMcp, isReadOnly }: Config): McpOptions {
  return { version: packageFile.version, canStop: (isRecording || canControlByMcp) && !isReadOnly };
}

/**
 * Returns the folder `dist/renderer` of the built pages; undefined if it contains no pages. A bundled program is in
 * `dist/server`, any other in `server`.
 */
function findBuiltPages(): string | undefined {
  const isBundled = import.meta.filename.endsWith('.js');
  const folder = join(import.meta.dirname, isBundled ? '../renderer' : '../dist/renderer');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) =>
    reject(makeListenError(error, host, port)),
  );
  server.listen(port, host, resolve);
  await promise;
}

function makeListenError(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
): Error {
  const address = `${formatHost(host)}:${port}`;
  if (code === 'EADDRINUSE') {
    return new StartUpError(
      `${address} is in use, perhaps by another Evoscope: choose another port with --port, or 0 for any free one`,
    );
  }
  return new StartUpError(
    `Cannot listen on ${address}: ${message}. Choose another address with --host or --port`,
  );
}

function getPort(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** Returns an address that a browser of this machine can open. */
function getAddress(host: string, port: number): string {
  const reachableHost = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${formatHost(reachableHost)}:${port}/`;
}

/** Returns the `Host` header of requests to this host and port. The header omits port 80. */
function formatOwnHost(host: string, port: number): string {
  return port === 80 ? formatHost(host) : `${formatHost(host)}:${port}`;
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Stops the service and ends the process at SIGINT, SIGTERM or SIGHUP, and when the parent process disconnects. Returns
 * a function that does this immediately.
 */
function stopOnSignal(service: StoppableService): () => void {
  const { shutdown, logger } = service;
  const stopOnce = () => {
    if (shutdown.stopSignal.aborted) return;
    stopService(service).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'Closing the database failed. Check it before the next start');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOnce);
  if (process.send) process.once('disconnect', stopOnce);
  return stopOnce;
}

function fail(messages: string[], exitCode: number, code?: StartUpCode): void {
  for (const message of messages) process.stderr.write(`${message}\n`);
  report({ type: 'failed', message: messages.join('\n'), code });
  process.exitCode = exitCode;
  // A channel to the parent may keep the process alive. The delay is long enough to send the message.
  setTimeout(() => process.exit(), 500).unref();
}

/**
 * Sends a message to the process that forked this one, with Node's or Electron's API; does nothing if a shell started
 * this process.
 */
function report(message: ServiceMessage): void {
  const { parentPort } = process as { parentPort?: { postMessage(message: ServiceMessage): void } };
  parentPort?.postMessage(message);
  // Without a callback, the loss of the channel would be an error that ends this process.
  process.send?.(message, undefined, undefined, () => {});
}
