import { EventEmitter, once } from 'node:events';
import { constants } from 'node:zlib';
import compression, { type CompressionOptions } from 'compression';
import express, { Router, type Express, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import type * as z from 'zod';
import type { EndpointName } from '#shared/addresses.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { databaseEndpoints } from '#shared/endpoints/databases.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import { mcpPath } from '#shared/mcp.ts';
import { mlflowPath } from '#shared/mlflow.ts';
import type { Health } from '#shared/schemas/service.ts';
import { databaseHeader, identityHeader } from '#shared/words.ts';
import { makeDatabaseFailure, makeStoppingError, ProblemError } from '#server/errors.ts';
import type { HandledName } from '#server/handlers.ts';
import type { PreparedResponse } from '#server/runtime/responses.ts';
import type { Databases } from '#server/runtime/databases.ts';
import type { SessionApi, SessionData } from '#server/runtime/session.ts';
import { writeResponse } from '#server/write-response.ts';
import { bindEndpoint, bindRequest, toExpressPath } from './bind-endpoint.ts';
import { bindImports } from './bind-imports.ts';
import { bindMcp, createMcpErrorHandler, type McpOptions } from './bind-mcp.ts';
import { bindMlflow, createMlflowErrorHandler } from './bind-mlflow.ts';
import { ChangeFeed } from './changes.ts';
import { createErrorHandler, toProblemError } from './error-handler.ts';
import {
  guardAccess,
  guardOrigin,
  guardUrl,
  sendTokenCookie,
  hasNoAccess,
  noAccessKey,
  createSecurityHeadersHandler,
  type AccessRules,
} from './guards.ts';
import { createPages } from './pages.ts';

/** Dependencies of the application. */
export interface AppDependencies {
  databases: Databases;
  logger: Logger;
  security: AccessRules;
  /** Folder of the pages; undefined without one. */
  pagesFolder: string | undefined;
  /** Signal that aborts when the service stops. The service then refuses requests. */
  stopSignal: AbortSignal;
}

/**
 * Options of the compression. Most responses are small, and on loopback the time to compress a response matters more
 * than its size.
 */
const compressionOptions: CompressionOptions = {
  threshold: 1_024,
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  // The range of a partial response counts bytes of the file, so that compressed bytes would be another range.
  filter: (request, response) =>
    !response.hasHeader('Content-Range') && compression.filter(request, response),
};

/**
 * Returns the handler of the package `compression` with {@link compressionOptions}. It does not compress responses to
 * requests without `Accept-Encoding`. All later responses, even those with status 304, state in `Vary` that they depend
 * on this header.
 */
function compressResponses(): RequestHandler {
  const compress = compression(compressionOptions);
  return (request, response, next) => {
    response.vary('Accept-Encoding');
    if (request.headers['accept-encoding'] === undefined) next();
    else compress(request, response, next);
  };
}

/**
 * Creates the whole service as one Express application: endpoints under `/api`, `/mlflow` and `/mcp`, and pages at all
 * other paths. The endpoints that choose a database exist only if clients can choose one. The application does not
 * listen.
 */
export function createApp(dependencies: AppDependencies): Express {
  const { databases, logger, security, pagesFolder, stopSignal } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  // Each endpoint parses its query with its schema.
  app.set('query parser', false);
  app.use(createSecurityHeadersHandler(), guardUrl, guardOrigin(security), compressResponses());
  app.use((_request, _response, next) => {
    // Requests can still arrive on open connections.
    if (stopSignal.aborted) throw makeStoppingError();
    next();
  });
  app.use(['/api', mlflowPath, mcpPath], guardAccess(security));
  if (databases.canChoose) app.use(bindDatabases(databases));
  app.use((request, response, next) =>
    databases.currentSession.api.handle(request, response, next),
  );
  app.use(
    sendTokenCookie(security),
    createPages(
      pagesFolder,
      () => databases.currentSession,
      (request) => hasNoAccess(security, request),
    ),
  );
  app.use(mlflowPath, createMlflowErrorHandler({ classifyFailure: () => 'other' }, logger));
  app.use(mcpPath, createMcpErrorHandler({ classifyFailure: () => 'other' }, logger));
  app.use(createErrorHandler({ classifyFailure: () => 'other' }, logger));
  return app;
}

/** Returns the router of the endpoints that choose the database. It is the same for all databases. */
function bindDatabases(databases: Databases): Router {
  const router = Router();
  const { listDatabases, testDatabase, openDatabase, makeSample } = databaseEndpoints;
  const bind = <const Shape extends Endpoint>(
    endpoint: Shape,
    respond: (
      body: Shape extends { body: infer Body extends z.ZodType } ? z.output<Body> : null,
      signal: AbortSignal,
    ) => Promise<unknown>,
  ) =>
    bindEndpoint(router, endpoint, async ({ body }, response) => ({
      body: writeResponse(endpoint, await respond(body as never, getDisconnectionSignal(response))),
    }));
  bind(listDatabases, () => databases.list());
  bind(testDatabase, (location, signal) => databases.inspect(location, signal));
  bind(openDatabase, ({ create, legacy, identity, ...location }, signal) =>
    databases.open(location, { canCreate: create, legacy, identity }, signal),
  );
  bind(makeSample, ({ file }, signal) => databases.makeSample(file, signal));
  return router;
}

/**
 * Returns a signal that aborts when the connection closes before the service has ended the response. Calls `onClose`
 * when the connection closes or the response has ended.
 */
function getDisconnectionSignal(response: Response, onClose?: () => void): AbortSignal {
  const disconnection = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) disconnection.abort();
    onClose?.();
  });
  return disconnection.signal;
}

/** Key of the signal of {@link getDisconnectionSignal} in the locals of a response of an API. */
const disconnectionKey = 'disconnection';

/**
 * Creates all endpoints under `/api`, `/mlflow` and `/mcp` except those that choose the database. Their responses
 * belong to one database, or to none before a client opens one.
 */
export function createApi(
  {
    id,
    respond,
    callMlflow,
    artifactsDirectory,
    readCursor,
    describeChange,
    imports,
    classifyFailure,
  }: SessionData,
  logger: Logger,
  mcp: McpOptions,
): SessionApi {
  const feed = new ChangeFeed({ readCursor, describe: describeChange }, { logger });
  const pendingResponses = new Set<Response>();
  const idleEvents = new EventEmitter();
  const trackPendingResponses: RequestHandler = (_request, response, next) => {
    pendingResponses.add(response);
    // One listener for both: the stream of a download adds almost as many as Node.js permits without a warning.
    response.locals[disconnectionKey] = getDisconnectionSignal(response, () => {
      pendingResponses.delete(response);
      if (pendingResponses.size === 0) idleEvents.emit('idle');
    });
    next();
  };
  const router = Router();
  router.use('/api', trackPendingResponses, guardDatabase(id));
  if (imports instanceof ProblemError) refuseImports(router, imports);
  else bindImports(router, imports);
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    if (!isHandled(name)) continue;
    const endpoint: Endpoint = endpoints[name];
    if (endpoint.kind === 'events') {
      bindRequest(router, endpoint, (_request, response) => feed.subscribe(response));
    } else {
      bindEndpoint(router, endpoint, async (input, { locals, req: request }) => {
        const signal = locals[disconnectionKey] as AbortSignal;
        const response = respond(name, input, request.get(identityHeader), signal);
        if (!locals[noAccessKey]) return response;
        const throwError = (error: unknown) => throwWithoutReason(error, { classifyFailure });
        return removeDatabaseFields(await response.catch(throwError));
      });
    }
  }
  refuseOtherMethods(router);
  router.all(['/api', '/api/{*path}'], (request) => {
    throw new ProblemError(
      'NOT_FOUND',
      `There is nothing at ${request.path.slice(0, 200)}. See /api/docs for all paths`,
    );
  });
  router.use('/api', createErrorHandler({ classifyFailure }, logger));
  router.use(mlflowPath, trackPendingResponses);
  router.use(bindMlflow(callMlflow, artifactsDirectory));
  router.use(mlflowPath, createMlflowErrorHandler({ classifyFailure }, logger));
  router.use(mcpPath, trackPendingResponses);
  router.use(bindMcp({ respond, classifyFailure }, mcp, logger));
  router.use(mcpPath, createMcpErrorHandler({ classifyFailure }, logger));
  return {
    handle: router,
    endStreams: (lastEvent) => feed.close(lastEvent),
    waitUntilIdle: async (abortSignal) => {
      if (pendingResponses.size === 0) return;
      // `once` rejects when `abortSignal` aborts.
      await once(idleEvents, 'idle', { signal: abortSignal }).catch(() => {});
    },
  };
}

/**
 * Returns a handler that sets the id of the database in a header of the responses, except for clients without access.
 * It throws DATABASE_CHANGED for a request that names another database in this header. A page sends the id of the
 * database that it shows; most scripts send none.
 */
function guardDatabase(id: string): RequestHandler {
  return (request, response, next) => {
    if (!response.locals[noAccessKey]) response.set(databaseHeader, id);
    const requestedId = request.get(databaseHeader);
    if (requestedId !== undefined && requestedId !== id) {
      throw new ProblemError(
        'DATABASE_CHANGED',
        'The service has opened another database. Reload, then try again',
      );
    }
    next();
  };
}

/**
 * Throws an error for a client without access. Omits the reason of DATABASE_UNAVAILABLE, because the reason may name
 * the database.
 */
function throwWithoutReason(error: unknown, dialect: Pick<SessionData, 'classifyFailure'>): never {
  const { code } = toProblemError(error, dialect);
  throw code === 'DATABASE_UNAVAILABLE' ? makeDatabaseFailure('unavailable') : error;
}

/** Returns the health for a client without access: the fields that name the database or its replica are null. */
function removeDatabaseFields({ body, ...response }: PreparedResponse): PreparedResponse {
  const health = JSON.parse(body.toString()) as Health;
  const hiddenFields = { databaseName: null, databaseIdentity: null, schema: null, replica: null };
  return { ...response, body: JSON.stringify({ ...health, ...hiddenFields }) };
}

function isHandled(name: EndpointName): name is HandledName {
  return !(name in importEndpoints || name in databaseEndpoints);
}

function refuseImports(router: Router, error: ProblemError): void {
  for (const { method, path } of Object.values(importEndpoints)) {
    router[method](toExpressPath(path), () => {
      throw error;
    });
  }
}

function refuseOtherMethods(router: Router): void {
  const endpointsByPath = Map.groupBy(Object.values(endpoints), ({ path }) => path);
  for (const [path, endpointsOfPath] of endpointsByPath) {
    const methods = new Set(endpointsOfPath.map(({ method }) => method.toUpperCase()));
    if (methods.has('GET')) methods.add('HEAD');
    const allowedMethods = [...methods].join(', ');
    router.all(toExpressPath(path), (request) => {
      if (methods.has(request.method)) throw makeChoosingDisabledError();
      throw new ProblemError(
        'METHOD_NOT_ALLOWED',
        `${request.method} is not possible here. Use ${allowedMethods}`,
        {
          headers: { Allow: allowedMethods },
        },
      );
    });
  }
}

/**
 * Returns the error of the endpoints that choose a database, for a service without these endpoints. No other endpoint
 * lacks a handler.
 */
function makeChoosingDisabledError(): ProblemError {
  return new ProblemError(
    'NOT_FOUND',
    'This service shows one database: start it with --choose to choose others',
  );
}
