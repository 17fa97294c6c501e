import compression from 'compression';
import express, { Router, type Express } from 'express';
import type { Logger } from 'pino';
import { constants } from 'node:zlib';
import { endpoints, type Endpoint } from '#shared/api.ts';
import type { EndpointName } from '#shared/addresses.ts';
import { importEndpoints } from '#shared/import-endpoints.ts';
import { SharedMemory, type MemoryLimits } from './analysis/memory.ts';
import type { Database } from './db/database.ts';
import { ProblemError } from './errors.ts';
import type { HandledName } from './handlers.ts';
import { Answers } from './http/answers.ts';
import { bindEndpoint, bindRequest, expressPath } from './http/bind-endpoint.ts';
import { bindImports } from './http/bind-imports.ts';
import { ChangeFeed } from './http/changes.ts';
import { createErrorHandler } from './http/error-handler.ts';
import {
  guardOrigin,
  handOutToken,
  guardAccess,
  guardUrl,
  securityHeaders,
  type AccessRules,
} from './http/guards.ts';
import { Imports } from './http/imports.ts';
import { createPages } from './http/pages.ts';
import { createStopLimit, refuseWhenStopping } from './http/stopping.ts';
import { endAfterMillis } from './threads/deadlines.ts';
import { createThreads, type Threads } from './threads/threads.ts';

/** What the application is made of. */
export interface AppDependencies {
  database: Database;
  logger: Logger;
  security: AccessRules;
  version: string;
  /** Where the built pages are; undefined when there are none. */
  pagesDirectory: string | undefined;
  artifactsDirectory?: string | undefined;
  /** The file of its threads' program; the one beside the service's own when undefined. */
  threadProgram?: string | undefined;
  /** How much analyses may keep in memory; the usual when undefined. */
  memoryLimits?: MemoryLimits | undefined;
  /**
   * Ends the event streams when it is aborted, which would otherwise keep the server from closing, and the
   * threads once they have answered.
   */
  stopping?: AbortSignal;
  /** Told when a thread answers, so that no request waits for its start. */
  onStarting?: (started: Promise<unknown>) => void;
  /** Told then when the threads will have ended, which a query in one of them can put off for long. */
  onClosing?: (ended: Promise<void>) => void;
}

/** Answers are small or sent once; on loopback the time to pack them weighs more than their size. */
const packing = {
  threshold: 1_024,
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
};

/** The whole service as one Express application: JSON under `/api`, pages everywhere else. No listening. */
export function createApp(dependencies: AppDependencies): Express {
  const { database, logger, security, pagesDirectory, stopping } = dependencies;
  const { threads, memory } = startThreads(dependencies);
  const answers = new Answers(threads, memory);
  const app = express();
  app.disable('x-powered-by');
  // Endpoints read their query themselves, by their schemas.
  app.set('query parser', false);
  app.use(securityHeaders(), guardUrl, guardOrigin(security), compression(packing));
  app.use(refuseWhenStopping(stopping));
  app.use('/api', guardAccess(security));
  app.use(createApi(threads, answers, dependencies));
  app.use(
    handOutToken(security),
    createPages(pagesDirectory, () => threads.askState('changeCursor')),
  );
  app.use(createErrorHandler(database.dialect, logger));
  return app;
}

function startThreads({
  memoryLimits,
  onStarting,
  threadProgram,
  ...dependencies
}: AppDependencies): {
  threads: Threads;
  memory: SharedMemory;
} {
  const memory = new SharedMemory((runs) => threads.readTraces(runs), memoryLimits);
  const threads: Threads = createThreads({ ...dependencies, memory }, { program: threadProgram });
  onStarting?.(threads.askState('changeCursor'));
  return { threads, memory };
}

function createApi(
  threads: Threads,
  answers: Answers,
  { stopping, onClosing, database, logger }: AppDependencies,
): Router {
  const imports = new Imports({ database, logger });
  const feed = new ChangeFeed(
    {
      cursor: () => threads.askState('changeCursor'),
      describe: async (cursor) => String((await threads.run('watchChanges', { cursor })).body),
    },
    { logger },
  );
  stopping?.addEventListener(
    'abort',
    () => {
      feed.close();
      const ended = threads.close(endAfterMillis);
      onClosing?.(ended);
      onClosing?.(imports.close(endAfterMillis));
    },
    { once: true },
  );
  const beforeStop = createStopLimit(stopping);
  const router = Router();
  bindImports(router, imports);
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    if (!isHandled(name)) continue;
    const endpoint: Endpoint = endpoints[name];
    if (endpoint.kind === 'events') {
      bindRequest(router, endpoint, (_request, response) => feed.subscribe(response));
    } else {
      bindEndpoint(router, endpoint, (input) => beforeStop(answers.answer(name, input)));
    }
  }
  refuseOtherMethods(router);
  router.all(['/api', '/api/{*path}'], (request) => {
    throw new ProblemError('NOT_FOUND', `There is nothing at ${request.path.slice(0, 200)}`);
  });
  return router;
}

function isHandled(name: EndpointName): name is HandledName {
  return !(name in importEndpoints);
}

function refuseOtherMethods(router: Router): void {
  const byPath = Map.groupBy(Object.values(endpoints), ({ path }) => path);
  for (const [path, group] of byPath) {
    const methods = new Set(group.map(({ method }) => method.toUpperCase()));
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].join(', ');
    router.all(expressPath(path), (request) => {
      throw new ProblemError('METHOD_NOT_ALLOWED', `${request.method} is not possible here`, {
        headers: { Allow: allow },
      });
    });
  }
}
