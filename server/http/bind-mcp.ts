import { Router, type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { mcpPath } from '#shared/mcp.ts';
import { errorCatalogue } from '#shared/schemas/error.ts';
import { ProblemError, makeProblemDocument } from '#server/errors.ts';
import type { SessionData } from '#server/runtime/session.ts';
import { readJson } from './bind-endpoint.ts';
import { createErrorHandler, toProblemError } from './error-handler.ts';
import { limitSending } from './guards.ts';

/** Options of the endpoint for clients of the Model Context Protocol. */
export interface McpOptions {
  version: string;
  /** Whether clients may request runs to stop. */
  canStop: boolean;
}

/** Returns a function that converts the error of a failed tool call to an error of the catalogue. It logs INTERNAL. */
export function createErrorConverter(
  { classifyFailure }: Pick<SessionData, 'classifyFailure'>,
  logger: Logger,
): (error: unknown) => ProblemError {
  return (error) => {
    const problemError = toProblemError(error, { classifyFailure });
    if (problemError.code === 'INTERNAL') logger.error({ err: error }, problemError.message);
    return problemError;
  };
}

/**
 * Creates the endpoint under `/mcp`: messages of the Model Context Protocol by POST, with responses as JSON. There are
 * no sessions and no streams, so other methods, such as GET and DELETE, get 405, as the protocol allows.
 */
export function bindMcp(
  { respond, classifyFailure }: Pick<SessionData, 'respond' | 'classifyFailure'>,
  options: McpOptions,
  logger: Logger,
): Router {
  const router = Router();
  const convertError = createErrorConverter({ classifyFailure }, logger);
  const call = async (request: Request, response: Response) => {
    // Few services have such clients, so only the first request loads the module.
    const { respondToPost } = await import('#server/mcp/server.ts');
    // The guard has verified the host. A proxy in front of the service may use HTTPS, which is unknown here.
    const address = `http://${request.headers.host ?? 'localhost'}/`;
    const dependencies = { respond, ...options, address, toProblemError: convertError };
    const webResponse = await respondToPost(
      dependencies,
      toWebRequest(request, address),
      request.body,
    );
    await send(webResponse, response);
  };
  router.post(mcpPath, readJson, (request, response) => call(request, response));
  router.all(mcpPath, ({ method }) => {
    throw new ProblemError('METHOD_NOT_ALLOWED', `${method} is not possible here. Use POST`, {
      headers: { Allow: 'POST' },
    });
  });
  router.all(`${mcpPath}/{*path}`, ({ path }) => {
    throw new ProblemError(
      'NOT_FOUND',
      `There is nothing at ${path.slice(0, 200)}. Use ${mcpPath}`,
    );
  });
  return router;
}

/** Returns the request with the headers of the protocol and without its body, which Express has parsed. */
function toWebRequest({ method, headers }: Request, address: string): globalThis.Request {
  const { accept = '', 'content-type': type = '', 'mcp-protocol-version': version } = headers;
  const forwardedHeaders = { accept, 'content-type': type };
  return new globalThis.Request(new URL(mcpPath, address), {
    method,
    headers:
      typeof version === 'string'
        ? { ...forwardedHeaders, 'mcp-protocol-version': version }
        : forwardedHeaders,
  });
}

async function send(webResponse: globalThis.Response, response: Response): Promise<void> {
  const text = await webResponse.text();
  limitSending(response);
  response.status(webResponse.status).set('Cache-Control', 'no-store');
  const type = webResponse.headers.get('content-type');
  if (type !== null) response.set('Content-Type', type);
  response.end(text);
}

/** Codes of JSON-RPC for errors before the service has read a message. */
const parseErrorCode = -32_700;
const requestErrorCode = -32_600;

/**
 * Returns the last handler of failed requests under `/mcp`. It sends an error of JSON-RPC with the problem document as
 * its data.
 */
export function createMcpErrorHandler(
  dialect: Parameters<typeof createErrorHandler>[0],
  logger: Logger,
): ErrorRequestHandler {
  return createErrorHandler(dialect, logger, (problemError, _request, response) => {
    const code = problemError.code === 'MALFORMED_JSON' ? parseErrorCode : requestErrorCode;
    const data = makeProblemDocument(problemError, mcpPath);
    response
      .status(errorCatalogue[problemError.code].status)
      .set(problemError.headers)
      .set('Cache-Control', 'no-store')
      .json({ jsonrpc: '2.0', id: null, error: { code, message: problemError.message, data } });
  });
}
