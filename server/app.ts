import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { constants } from 'node:zlib';
import { bindDatabases } from './http/bind-databases.ts';
import { createErrorHandler } from './http/error-handler.ts';
import {
  guardOrigin,
  handOutToken,
  guardAccess,
  guardUrl,
  isOutsider,
  securityHeaders,
  type AccessRules,
} from './http/guards.ts';
import { createPages } from './http/pages.ts';
import { stoppingProblem } from './errors.ts';
import type { Databases } from './runtime/databases.ts';

/** What the application is made of. */
export interface AppDependencies {
  databases: Databases;
  logger: Logger;
  security: AccessRules;
  /** Where the built pages are; undefined when there are none. */
  pagesDirectory: string | undefined;
  /** Aborted when the service stops: from then on it refuses requests. */
  stopping: AbortSignal;
}

/** Answers are small or sent once; on loopback the time to pack them weighs more than their size. */
const packing = {
  threshold: 1_024,
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
};

/** Packs answers for those who say that they can unpack them. */
function pack(): RequestHandler {
  const packed = compression(packing);
  return (request, response, next) => {
    if (request.headers['accept-encoding'] !== undefined) {
      packed(request, response, next);
    } else {
      response.vary('Accept-Encoding');
      next();
    }
  };
}

/** The whole service as one Express application: JSON under `/api`, pages everywhere else. No listening. */
export function createApp(dependencies: AppDependencies): Express {
  const { databases, logger, security, pagesDirectory, stopping } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  // Endpoints read their query themselves, by their schemas.
  app.set('query parser', false);
  app.use(securityHeaders(), guardUrl, guardOrigin(security), pack());
  app.use((_request, _response, next) => {
    // A connection that was open before can still bring requests.
    if (stopping.aborted) throw stoppingProblem();
    next();
  });
  app.use('/api', guardAccess(security));
  if (databases.canChoose) app.use(bindDatabases(databases));
  app.use((request, response, next) => databases.current.api.handle(request, response, next));
  const isOutside = (request: express.Request) => isOutsider(security, request);
  app.use(
    handOutToken(security),
    createPages(pagesDirectory, () => databases.current, isOutside),
  );
  app.use(createErrorHandler({ failureKind: () => 'other' }, logger));
  return app;
}
