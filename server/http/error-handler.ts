import type { DatabaseDialect, ExplainedError } from '#server/db/dialect.ts';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import {
  ProblemError,
  makeDatabaseFailure,
  makeInternalError,
  makeProblemDocument,
} from '#server/errors.ts';
import { errorCatalogue, type ErrorCode } from '#shared/schemas/error.ts';

/** Default time without a failed request for the same reason after which an outage is over. */
const defaultQuietMillis = 10_000;

/**
 * Returns a function that logs failed requests. Requests that fail for the same reason are one outage. The function
 * logs the first of them. If more follow, it logs their number when no request has failed for this reason for
 * `quietMillis`.
 */
export function createOutageLog(logger: Logger, quietMillis = defaultQuietMillis) {
  const outages = new Map<string, { furtherRequestCount: number; endTimer: NodeJS.Timeout }>();
  return ({ code, message }: ProblemError, details: object): void => {
    const reason = `${code} ${message}`;
    const outage = outages.get(reason);
    if (outage) {
      outage.furtherRequestCount += 1;
      outage.endTimer.refresh();
      return;
    }
    logger.error(details, message);
    const endTimer = setTimeout(() => {
      const furtherRequestCount = outages.get(reason)?.furtherRequestCount ?? 0;
      outages.delete(reason);
      if (furtherRequestCount > 0)
        logger.warn(
          { code },
          `${furtherRequestCount} more ${furtherRequestCount === 1 ? 'request' : 'requests'} failed for this reason, the last ${quietMillis / 1_000} s ago`,
        );
    }, quietMillis).unref();
    outages.set(reason, { furtherRequestCount: 0, endTimer });
  };
}

/** Functions that create our error for an error of the body parser, by the `type` of that error. */
const parserErrors = new Map<string, (details: { limit?: unknown }) => ProblemError>([
  [
    'entity.parse.failed',
    () => new ProblemError('MALFORMED_JSON', 'The body is not valid JSON. Correct its syntax'),
  ],
  [
    'entity.too.large',
    ({ limit }) => {
      const maximum = `${Math.round(Number(limit) / 1_048_576)} MiB`;
      return new ProblemError(
        'PAYLOAD_TOO_LARGE',
        `The body is larger than ${maximum}. Send less at a time`,
      );
    },
  ],
  [
    'encoding.unsupported',
    () =>
      new ProblemError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The Content-Encoding of the body must be gzip, deflate, br or zstd',
      ),
  ],
  [
    'charset.unsupported',
    () => new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8'),
  ],
]);

/** Our code and message for an error of sending a file of the pages, by the status of that error. */
const fileErrors = new Map<number, readonly [ErrorCode, string]>([
  [
    412,
    [
      'PRECONDITION_FAILED',
      'The file has changed since the version in If-Match or If-Unmodified-Since. Request it without these headers',
    ],
  ],
  [
    416,
    [
      'RANGE_NOT_SATISFIABLE',
      'The file does not contain the range in Range. Content-Range states its size',
    ],
  ],
]);

/** Sends an error of the catalogue as a response. */
type SendError = (problemError: ProblemError, request: Request, response: Response) => void;

/**
 * Returns the last handler of every failed request. It sends the error, by default as a problem document, or closes the
 * connection of a response that has started. It logs errors with status 503 as outages, except SERVICE_STOPPING, and
 * all other errors with a status of 500 or higher. If the client has disconnected before the end of its request, the
 * handler sends and logs nothing.
 */
export function createErrorHandler(
  dialect: Pick<DatabaseDialect, 'classifyFailure'>,
  logger: Logger,
  send: SendError = sendProblemDocument,
): ErrorRequestHandler {
  const logOutage = createOutageLog(logger);
  return (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    // A client that disconnects before its request is complete gets no response. This is not an error of the service.
    if (request.destroyed && !request.complete) {
      response.destroy();
      return;
    }
    const problemError = toProblemError(error, dialect);
    const details = { err: error, method: request.method };
    const { status } = errorCatalogue[problemError.code];
    if (status === 503 && problemError.code !== 'SERVICE_STOPPING')
      logOutage(problemError, details);
    else if (status >= 500 && status !== 503) logger.error(details, problemError.message);
    if (response.headersSent) response.destroy();
    else send(problemError, request, response);
  };
}

/** Returns the error of the catalogue for an error of any kind; INTERNAL for an unknown error. */
export function toProblemError(
  error: unknown,
  dialect: Pick<DatabaseDialect, 'classifyFailure'>,
): ProblemError {
  if (error instanceof ProblemError) return error;
  const { type, status, limit, code } = Object(error) as Record<string, unknown>;
  const makeParserError = typeof type === 'string' ? parserErrors.get(type) : undefined;
  if (makeParserError) return makeParserError({ limit });
  if (error instanceof URIError) {
    return new ProblemError(
      'VALIDATION_FAILED',
      'The URL contains an invalid percent-encoding. Write % as %25',
    );
  }
  // These are the codes of zlib, Brotli and Zstandard.
  if (typeof code === 'string' && /^(?:Z_|ERR__ERROR_|ZSTD_error_)/.test(code)) {
    return new ProblemError(
      'VALIDATION_FAILED',
      'The compressed body is invalid or incomplete. Send it again',
    );
  }
  const fileError = typeof status === 'number' ? fileErrors.get(status) : undefined;
  if (fileError) return new ProblemError(...fileError);
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ProblemError(
      'VALIDATION_FAILED',
      'The request is invalid. Check its headers and its body',
    );
  }
  return toDatabaseFailure(error, dialect) ?? makeInternalError();
}

function toDatabaseFailure(
  error: unknown,
  dialect: Pick<DatabaseDialect, 'classifyFailure'>,
): ProblemError | null {
  const kind = dialect.classifyFailure(error);
  return kind === 'other' ? null : makeDatabaseFailure(kind, error as ExplainedError);
}

function sendProblemDocument(
  problemError: ProblemError,
  request: Request,
  response: Response,
): void {
  const [path = ''] = request.originalUrl.split('?');
  response
    .status(errorCatalogue[problemError.code].status)
    .set(problemError.headers)
    .set('Cache-Control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(makeProblemDocument(problemError, path)));
}
