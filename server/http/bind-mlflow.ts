import { pipeline } from 'node:stream/promises';
import { json, Router, type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { mlflowOperations, mlflowPath, type MlflowOperation } from '#shared/mlflow.ts';
import { errorCatalogue, type ErrorCode } from '#shared/schemas/error.ts';
import type { MlflowCall } from '#server/mlflow/operations.ts';
import { ProblemError, makeValidationError } from '#server/errors.ts';
import {
  listFolder,
  openArtifact,
  requirePlainNames,
  storeArtifact,
  type ArtifactLocation,
} from '#server/mlflow/artifacts.ts';
import { isDisconnection, maximumBodyBytes, parseQuery, requireUtf8 } from './bind-endpoint.ts';
import { createErrorHandler } from './error-handler.ts';
import { liftReceiveLimit, limitSending } from './guards.ts';

const operationsPath = `${mlflowPath}/api/2.0/mlflow/`;

/** Runs an operation of MLflow and returns the body of its response as JSON. */
type Call = (call: MlflowCall) => Promise<string>;

/**
 * Creates the endpoints under `/mlflow` that clients of MLflow use: the {@link mlflowOperations} and the artifacts of
 * runs. {@link createMlflowErrorHandler} sends their errors in the format of MLflow, whose clients show the `message`.
 */
export function bindMlflow(call: Call, artifactsDirectory: string | undefined): Router {
  const router = Router();
  bindArtifacts(router, call, artifactsDirectory);
  for (const operation of Object.keys(mlflowOperations) as MlflowOperation[]) {
    const [method = '', name = operation] = mlflowOperations[operation].split(' ');
    const path = `${operationsPath}${name}`;
    const respond = (request: Request, response: Response, input: unknown) => {
      const isInPath = Object.keys(request.params).length > 0;
      return send(
        response,
        call({ operation, input: isInPath ? { ...Object(input), ...request.params } : input }),
      );
    };
    if (method === 'GET')
      router.get(path, (request, response) => respond(request, response, getQuery(request)));
    else if (method === 'DELETE')
      router.delete(path, (request, response) => respond(request, response, {}));
    else
      router[method === 'PATCH' ? 'patch' : 'post'](path, parseBody, (request, response) =>
        respond(request, response, request.body),
      );
  }
  // Clients print links to pages of MLflow, such as `/mlflow/#/experiments/1`.
  router.get(mlflowPath, (_request, response) => response.redirect(303, '/'));
  router.all([mlflowPath, `${mlflowPath}/{*path}`], (request) => {
    throw new UnknownOperationError(request);
  });
  return router;
}

const artifactsPath = `${mlflowPath}/api/2.0/mlflow-artifacts/artifacts`;

/** Maximum duration of receiving an artifact, in milliseconds. The service then closes the connection. */
const uploadMillis = 600_000;

/**
 * Registers the endpoints of the artifacts of runs: `<experiment>/<run>/artifacts/<path>`, as the artifact URI of a run
 * states. Artifacts are files in the folder of their run. The service deletes the folder together with the run.
 */
function bindArtifacts(router: Router, call: Call, root: string | undefined): void {
  const getLocation = async (segments: readonly string[]): Promise<ArtifactLocation> => {
    const [experimentId = '', runId = '', folder, ...names] = segments;
    requirePlainNames(names);
    const { run } = JSON.parse(await call({ operation: 'runs/get', input: { run_id: runId } })) as {
      run: { info: { experiment_id: string } };
    };
    if (folder !== 'artifacts' || run.info.experiment_id !== experimentId) {
      throw new ProblemError(
        'NOT_FOUND',
        'There is no folder of artifacts at this path. Use the artifact URI of the run',
      );
    }
    if (root !== undefined) return { root, runId, names };
    throw new ProblemError(
      'NOT_FOUND',
      'The service has no folder for artifacts: start it with --artifacts-dir (SVC_ARTIFACTS_DIR)',
    );
  };
  router.get(artifactsPath, (request, response) => {
    const listItems = async () => {
      const location = await getLocation(
        (getQuery(request)['path'] ?? '').split('/').filter(Boolean),
      );
      return JSON.stringify(await listFolder(location));
    };
    return send(response, listItems());
  });
  const filePath = `${artifactsPath}/{*path}`;
  router.put(filePath, (request, response) => {
    const store = async () => {
      const location = await getLocation(getPathSegments(request));
      if (location.names.length === 0) {
        throw makeValidationError([{ path: 'path', message: 'must name a file' }]);
      }
      // This call changes nothing. It throws if the service may not change the run.
      await call({ operation: 'runs/log-batch', input: { run_id: location.runId } });
      liftReceiveLimit(request);
      const timeoutTimer = setTimeout(() => request.destroy(), uploadMillis);
      // The connection must stay open until the service has sent an error.
      const content = request.iterator({ destroyOnReturn: false });
      const file = await storeArtifact(location, content).finally(() => clearTimeout(timeoutTimer));
      const input = { run_id: location.runId, path: location.names.join('/'), file };
      return call({ operation: 'add-artifact', input });
    };
    return send(response, store());
  });
  router.get(filePath, (request, response) =>
    getLocation(getPathSegments(request)).then((location) => download(location, response)),
  );
}

/** Sends an artifact as a download, so a browser never shows it as a page of this service. */
async function download(location: ArtifactLocation, response: Response): Promise<void> {
  const { bytes, content } = await openArtifact(location);
  limitSending(response);
  response.set({
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': 'attachment',
    'Content-Length': String(bytes),
    'Cache-Control': 'no-store',
  });
  await pipeline(content, response).catch((error: unknown) => {
    if (!isDisconnection(error)) throw error;
  });
}

/** Returns the decoded segments of a wildcard path. */
function getPathSegments({ params }: Request): readonly string[] {
  return (params as { path?: readonly string[] }).path ?? [];
}

const readJson = json({ limit: maximumBodyBytes, strict: false, verify: requireUtf8 });

/**
 * Reads a JSON body. Throws UNSUPPORTED_MEDIA_TYPE for a body of another type, because forms of other sites can send
 * other types without a preflight request. Also throws it for a request with neither a body nor `Content-Length`.
 * Accepts any type with `Content-Length: 0`.
 */
function parseBody(request: Request, response: Response, next: (error?: unknown) => void): void {
  const isEmpty = Number(request.headers['content-length'] ?? 1) === 0;
  if (!isEmpty && !request.is('application/json')) {
    throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  readJson(request, response, next);
}

/** Returns the parameters of the query of a request, each with its first value. */
function getQuery(request: Request): Record<string, string> {
  const start = request.url.indexOf('?');
  const values = parseQuery(start < 0 ? null : request.url.slice(start + 1));
  return Object.fromEntries([...values].map(([name, [value = '']]) => [name, value]));
}

async function send(response: Response, text: Promise<string>): Promise<void> {
  const body = await text;
  limitSending(response);
  response.set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  response.send(body);
}

/** The error for a request that the service does not support, although MLflow may. */
class UnknownOperationError extends ProblemError {
  constructor({ method, path }: Request) {
    super(
      'NOT_FOUND',
      `Evoscope does not support ${method} ${path.slice(0, 200)}. It supports ${Object.keys(mlflowOperations).join(', ')}`,
    );
  }
}

/** Error codes of MLflow by our codes, with the status if it differs from ours. Other codes become BAD_REQUEST. */
const errorCodes: Partial<Record<ErrorCode, readonly [code: string, status?: number]>> = {
  VALIDATION_FAILED: ['INVALID_PARAMETER_VALUE'],
  MALFORMED_JSON: ['MALFORMED_REQUEST'],
  UNSUPPORTED_MEDIA_TYPE: ['BAD_REQUEST'],
  PAYLOAD_TOO_LARGE: ['INVALID_PARAMETER_VALUE'],
  URI_TOO_LONG: ['BAD_REQUEST'],
  UNAUTHORIZED: ['UNAUTHENTICATED'],
  FORBIDDEN_HOST: ['PERMISSION_DENIED'],
  FORBIDDEN_ORIGIN: ['PERMISSION_DENIED'],
  FORBIDDEN_USER: ['PERMISSION_DENIED'],
  RECORDING_OFF: ['FEATURE_DISABLED'],
  NOT_FOUND: ['RESOURCE_DOES_NOT_EXIST'],
  RUN_NOT_FOUND: ['RESOURCE_DOES_NOT_EXIST'],
  EXPERIMENT_NOT_FOUND: ['RESOURCE_DOES_NOT_EXIST'],
  EXPERIMENT_EXISTS: ['RESOURCE_ALREADY_EXISTS', 400],
  READ_ONLY: ['PERMISSION_DENIED'],
  RECORDING_BUSY: ['REQUEST_LIMIT_EXCEEDED'],
  DATABASE_BUSY: ['TEMPORARILY_UNAVAILABLE'],
  DATABASE_UNAVAILABLE: ['TEMPORARILY_UNAVAILABLE'],
  SERVICE_STOPPING: ['TEMPORARILY_UNAVAILABLE'],
  INTERNAL: ['INTERNAL_ERROR'],
};

/**
 * Returns the last handler of failed requests under `/mlflow`, also of requests that a guard refused. It sends the code
 * of MLflow and a message with all faults.
 */
export function createMlflowErrorHandler(
  dialect: Parameters<typeof createErrorHandler>[0],
  logger: Logger,
): ErrorRequestHandler {
  return createErrorHandler(dialect, logger, (problemError, _request, response) => {
    const [code = 'BAD_REQUEST', status = errorCatalogue[problemError.code].status] =
      problemError instanceof UnknownOperationError
        ? ['ENDPOINT_NOT_FOUND']
        : (errorCodes[problemError.code] ?? []);
    const faults = problemError.faults?.map(({ path, message }) => `${path} ${message}`) ?? [];
    const message = faults.length > 1 ? faults.join('; ') : problemError.message;
    response
      .status(status)
      .set(problemError.headers)
      .set('Cache-Control', 'no-store')
      .json({ error_code: code, message });
  });
}
