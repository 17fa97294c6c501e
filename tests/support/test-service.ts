import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { Agent, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { createApp, type AppDependencies, createApi } from '#server/http/app.ts';
import type { MemoryLimits } from '#server/analysis/memory.ts';
import type { Database } from '#server/db/database.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { createHttpServer } from '#server/http/guards.ts';
import type { ChoosingRules } from '#server/runtime/choices.ts';
import { Databases, type DatabasesContext } from '#server/runtime/databases.ts';
import { Shutdown } from '#server/runtime/shutdown.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import { resolveProgramFile } from './programs.ts';

/** The whole service over a database, listening on a free port of loopback. */
export interface TestService {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  port: number;
  server: Server;
  /** The log of the service, one object per line. */
  logEntries: Record<string, unknown>[];
  /** GETs a path and parses its JSON; throws if the status is not 200. */
  get: <Answer>(path: string) => Promise<Answer>;
  /** GETs a path whose response is a problem document. */
  getProblem: (path: string, init?: RequestInit) => Promise<ProblemDocument>;
  close: () => Promise<void>;
}

export type ServiceOptions = Partial<
  Pick<AppDependencies, 'pagesFolder'> & {
    artifactsDirectory: string;
    /** Other databases that can be chosen; none by default. */
    choosingRules: ChoosingRules;
    /** Whether clients may record runs. */
    isRecording: boolean;
    /** Whether assistants may stop runs. */
    canStop: boolean;
    /** Default: one, because each thread starts as slowly as a program. */
    threadsOfEachKind: number;
    /** Memory limits of analyses. */
    memoryLimits: MemoryLimits;
    /**
     * Whether queries run in the thread of the test, like those of a database in memory. Then no threads start. For
     * tests of responses, not of threads.
     */
    isInThisThread: boolean;
  } & AppDependencies['security']
>;

const memoryLocation = parseDatabaseUrl(':memory:', { workingDirectory: '/' });

/** Starts the service that `server/main.ts` starts, in this process. */
export async function startService(
  database: Database,
  options: ServiceOptions = {},
): Promise<TestService> {
  const shutdown = new Shutdown();
  const { logger, logEntries } = createRecordingLogger();
  const { artifactsDirectory, choosingRules: rules = null } = options;
  const context: DatabasesContext = {
    logger,
    version: '0.0.0-test',
    canChoose: rules !== null,
    isRecording: options.isRecording,
    threads: { program: resolveProgramFile('worker'), size: options.threadsOfEachKind ?? 1 },
    importProgram: resolveProgramFile('import-worker'),
    memoryLimits: options.memoryLimits,
    getArtifacts: () => artifactsDirectory,
    isPreparing: false,
    createApi: (data) =>
      createApi(data, logger, { version: '0.0.0-test', canStop: options.canStop ?? false }),
    shutdown,
    rules,
    isReadOnly: false,
    onSwitch: () => {},
  };
  // A suite may have several services with one database, which it closes.
  const sharedDatabase: Database = {
    ...database,
    location: options.isInThisThread ? memoryLocation : database.location,
    close: async () => {},
  };
  const databases = new Databases(context, { database: sharedDatabase });
  const server = createHttpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const app = createApp({
    databases,
    logger,
    pagesFolder: options.pagesFolder,
    security: {
      allowedHosts: options.allowedHosts ?? [],
      token: options.token,
      port: options.port ?? port,
    },
    stopSignal: shutdown.stopSignal,
  });
  server.on('request', app);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    server,
    logEntries,
    get: (path) => fetchJson(port, path),
    getProblem: (path, init) => fetchProblem(`${url}${path}`, init),
    close: async () => {
      shutdown.begin();
      const databasesEnd = databases.close(shutdown.abortSignal);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      // Threads have the database open, whose folder a suite removes afterwards.
      await databasesEnd;
    },
  };
}

/** Returns the parsed body. Does not use `fetch`, because the service would compress each response. */
async function fetchJson<Answer>(port: number, path: string): Promise<Answer> {
  const { status, body } = await sendRawRequest({ port }, path);
  const text = body.toString();
  if (status !== 200) throw new Error(`${status} ${path}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

async function fetchProblem(url: string, init?: RequestInit): Promise<ProblemDocument> {
  const response = await fetch(url, init);
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json')) {
    throw new Error(`${response.status} ${type}: ${(await response.text()).slice(0, 500)}`);
  }
  return (await response.json()) as ProblemDocument;
}

function createRecordingLogger(): { logger: Logger; logEntries: Record<string, unknown>[] } {
  const logEntries: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug' },
    { write: (line: string) => void logEntries.push(JSON.parse(line) as Record<string, unknown>) },
  );
  return { logger, logEntries };
}

/** A raw response: the parts that `fetch` would hide (Host header, body of HEAD, exact bytes). */
export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Agent that reuses connections: for a new one, the service reads the table of all connections. */
const agent = new Agent({ keepAlive: true });

/** Sends a request unchanged, unlike `fetch`. */
export function sendRawRequest(
  service: Pick<TestService, 'port'>,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const { method = 'GET', body } = options;
  // Node sends no length for the body of a GET. The server would read the body as a second, invalid request.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...length, ...options.headers };
  const clientRequest = request(
    { host: '127.0.0.1', port: service.port, path, method, headers, agent },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    },
  );
  clientRequest.on('error', reject);
  clientRequest.end(body);
  return promise;
}

/** Creates a folder with pages like those of the build. */
export function makePages(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'evoscope-pages-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Evoscope pages</title>');
  writeFileSync(join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(directory, 'assets', 'main-abc123.js'), 'globalThis.started = true;\n');
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
