import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import type { Imports, ImportRequest } from '#server/runtime/imports.ts';
import type { Request, Response, Router } from 'express';
import { ProblemError, makeValidationError } from '#server/errors.ts';
import { basename, isAbsolute, normalize } from 'node:path';
import { bindRequest, sendResponse, readParams, readQuery, readBody } from './bind-endpoint.ts';
import { identityHeader } from '#shared/words.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import { isAllowedHost, liftReceiveLimit } from './guards.ts';
import { maximumStreams, sendHeartbeats, startStream } from './changes.ts';
import { sampleCampaign } from '#server/import/sample-campaign.ts';
import { defaultLimits, spool } from '#server/import/source/entry.ts';
import {
  type ImportState,
  type importParams,
  type importQuery,
  importBody,
  uploadTypes,
} from '#shared/schemas/import.ts';
import { writeResponse } from '#server/write-response.ts';

/** Registers the endpoints of imports. The states of imports are in the memory of the service, not in its database. */
export function bindImports(router: Router, imports: Imports): void {
  const { startImport, listImports, getImport, watchImport, cancelImport } = importEndpoints;
  const getImportId = ({ params }: Request) =>
    (readParams(getImport.params, params) as z.infer<typeof importParams>).importId;
  const bindJson = (endpoint: Endpoint, respond: (request: Request) => Promise<unknown>) =>
    bindRequest(router, endpoint, async (request: Request, response: Response) =>
      sendResponse(endpoint, response, { body: writeResponse(endpoint, await respond(request)) }),
    );
  bindJson(startImport, async (request) => {
    const query = readQuery(startImport.query, request.url) as z.infer<typeof importQuery>;
    const isPath = Boolean(request.is('application/json'));
    if (query.watch && !isPath)
      throw makeValidationError([{ path: 'watch', message: 'needs the path of a folder' }]);
    const receive = isPath ? receivePath : receiveUpload;
    return { importId: await receive(imports, request, query) };
  });
  bindJson(listImports, async () => imports.list());
  bindJson(getImport, async (request) => imports.get(getImportId(request)));
  bindJson(cancelImport, (request) => imports.cancel(getImportId(request)));
  const clients = new Set<Response>();
  bindRequest(router, watchImport, (request, response) => {
    const state = imports.get(getImportId(request));
    if (clients.size >= maximumStreams)
      throw new ProblemError(
        'TOO_MANY_STREAMS',
        `${maximumStreams} clients are already following imports, which is the limit. Close one of them, or poll instead.`,
        { headers: { 'Retry-After': '5' } },
      );
    clients.add(response);
    response.once('close', () => clients.delete(response));
    streamImport(imports, state, response);
  });
}

/**
 * Sends the state of an import as an event, now and after each change until the import has ended. Omits states while
 * the client does not read, except the last one. For HEAD, ends after the first event.
 */
function streamImport(imports: Imports, initialState: ImportState, response: Response): void {
  const send = (state: ImportState) => {
    // A response closes later than it ends if it waits for a previous response of its connection.
    if (response.writableEnded) return;
    const isLast = state.status !== 'running' || response.req.method === 'HEAD';
    // A client that does not read needs only the last state.
    if (isLast || response.writableLength === 0) response.write(formatEvent(state));
    if (isLast) response.end();
  };
  startStream(response);
  sendHeartbeats(response);
  const unfollow = imports.follow(initialState.importId, send);
  response.once('close', unfollow);
  send(initialState);
}

function formatEvent({ progress, watch, result, failure }: ImportState): string {
  const [name, data] = result
    ? (['done', result] as const)
    : failure
      ? (['failed', failure] as const)
      : watch
        ? (['watch', watch] as const)
        : (['progress', progress] as const);
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Query = z.infer<typeof importQuery>;

/** File extensions by content type. Imports recognise tables by these extensions, and archives by their content. */
const fileExtensions = new Map<string, string>([
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['application/x-ndjson', '.jsonl'],
]);

/** Limits of an upload. */
interface UploadLimits {
  /** Maximum size of one upload, and of all uploads at the same time together, in bytes. */
  bytes: number;
  /**
   * Minimum speed of an upload: the next `minimumBytes`, or the end of the upload, must arrive within `intervalMillis`.
   */
  minimumBytes: number;
  intervalMillis: number;
  /** Maximum duration of an upload. */
  totalMillis: number;
}

const defaultUploadLimits: UploadLimits = {
  bytes: defaultLimits.bytes,
  minimumBytes: 65_536,
  intervalMillis: 30_000,
  totalMillis: 3_600_000,
};

/**
 * Stores the body of an upload in a temporary file (see {@link spool}), then starts its import and returns the id of
 * the import. Because the import reads a file, it can read zips and never waits for the client. An incomplete body
 * starts no import. Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE (also for a full disk), REQUEST_TIMEOUT, and the
 * errors of {@link Imports.startUpload}.
 */
export function receiveUpload(
  imports: Imports,
  request: Request,
  query: Query,
  limits = defaultUploadLimits,
): Promise<string> {
  const type = uploadTypes.find((uploadType) => request.is(uploadType));
  if (type === undefined || (request.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new ProblemError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send an archive or a table as one of ${uploadTypes.join(', ')}, or {"path": …} as application/json`,
    );
  }
  if (Number(request.get('content-length') ?? 0) > limits.bytes) throw makeTooLargeError(limits);
  const name = `${query.name ?? 'data set'}${fileExtensions.get(type) ?? (query.kind === 'table' ? '.csv' : '')}`;
  return imports.startUpload(
    query.name ?? 'upload',
    query.dryRun,
    limits.bytes,
    async (countBytes) => {
      liftReceiveLimit(request);
      const body = readBodyChunks(request, countBytes, limits);
      const { descriptor, size, remove } = await spool(body).catch(rethrowFullDisk);
      const source = { name, descriptor, size };
      return { source, options: query, identity: request.get(identityHeader), release: remove };
    },
  );
}

async function* readBodyChunks(
  request: Request,
  countBytes: (bytes: number) => void,
  limits: UploadLimits,
): AsyncGenerator<Buffer> {
  const { minimumBytes, intervalMillis, totalMillis } = limits;
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  timeout.catch(() => {});
  const speedTimer = setTimeout(() => reject(makeTooSlowError()), intervalMillis);
  const totalTimer = setTimeout(() => reject(makeTooSlowError()), totalMillis);
  // The service reads no more of the body, but the connection must stay open until the service has sent the error.
  const chunks = request.iterator({ destroyOnReturn: false });
  let size = 0;
  let recentBytes = 0;
  try {
    for (;;) {
      const nextChunk = await Promise.race([chunks.next(), timeout]);
      if (nextChunk.done) return;
      const bytes = nextChunk.value as Buffer;
      size += bytes.length;
      recentBytes += bytes.length;
      if (recentBytes >= minimumBytes) {
        recentBytes = 0;
        speedTimer.refresh();
      }
      if (size > limits.bytes) throw makeTooLargeError(limits);
      countBytes(bytes.length);
      yield bytes;
    }
  } finally {
    clearTimeout(speedTimer);
    clearTimeout(totalTimer);
  }
}

function makeTooLargeError({ bytes }: UploadLimits): ProblemError {
  return new ProblemError(
    'PAYLOAD_TOO_LARGE',
    `An upload may have at most ${Math.floor(bytes / 2 ** 20)} MiB. Upload it in parts`,
    { headers: { Connection: 'close' } },
  );
}

function makeTooSlowError(): ProblemError {
  return new ProblemError(
    'REQUEST_TIMEOUT',
    'The upload was too slow, so the service imported nothing. Send it again, or import it by its path',
    { headers: { Connection: 'close' } },
  );
}

function rethrowFullDisk(error: unknown): never {
  const { code } = Object(error) as { code?: unknown };
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  throw new ProblemError(
    'PAYLOAD_TOO_LARGE',
    'The temporary folder of the service is too full for this upload. Free some space, or import by a path',
    { headers: { Connection: 'close' } },
  );
}

/**
 * Starts the import of the sample campaign, or of a folder or file of this machine, and returns the id of the import.
 * With `query.watch`, starts to watch a folder. Only a client on this machine may name a path. Throws
 * VALIDATION_FAILED, FORBIDDEN_PATH and the errors of {@link Imports.start} or {@link Imports.startWatch}.
 */
export function receivePath(imports: Imports, request: Request, query: Query): Promise<string> {
  const body = readBody(importBody, request.body) as z.infer<typeof importBody>;
  if (query.watch) return startFolderWatch(imports, request, query, body);
  const source = 'sample' in body ? sampleCampaign : requireAllowedPath(body.path, request);
  const options = { ...query, name: query.name ?? source.name };
  const prepare = async (): Promise<ImportRequest> => ({
    source: { path: source.path },
    options,
    identity: request.get(identityHeader),
  });
  return imports.start(options.name ?? basename(source.path), query.dryRun, prepare);
}

/**
 * Starts to watch a folder of this machine, and returns the id of the import. Throws the errors of {@link receivePath}.
 */
async function startFolderWatch(
  imports: Imports,
  request: Request,
  query: Query,
  body: z.infer<typeof importBody>,
): Promise<string> {
  if (!('path' in body))
    throw makeValidationError([{ path: 'watch', message: 'needs the path of a folder' }]);
  const { path } = requireAllowedPath(body.path, request);
  requireWatchable(query);
  return imports.startWatch(normalize(path), {
    options: query,
    identity: request.get(identityHeader),
  });
}

/** Throws VALIDATION_FAILED for options that are not possible with data that still grow. */
function requireWatchable(query: Query): void {
  const names = ['dryRun', 'replace', 'force', 'asReference', 'budget'] as const;
  const faults = names
    .filter((name) => query[name] !== undefined && query[name] !== false)
    .map((name): { path: string; message: string } => ({
      path: name,
      message: 'is not possible with watch',
    }));
  if (query.kind === 'table')
    faults.push({ path: 'kind', message: 'must not be table: a watch cannot read tables' });
  if (faults.length > 0) throw makeValidationError(faults);
}

function requireAllowedPath(
  path: string,
  request: Request,
): { path: string; name: string | undefined } {
  if (!isOnThisMachine(request))
    throw new ProblemError(
      'FORBIDDEN_PATH',
      'Only clients on the machine of the service can import a path: upload the archive instead',
    );
  if (!isAbsolute(path))
    throw makeValidationError([{ path: 'path', message: 'must be an absolute path' }]);
  return { path, name: undefined };
}

/**
 * Returns whether a request comes from loopback, names a loopback host with our port, and has no headers of a proxy.
 */
function isOnThisMachine({ socket, headers }: Request): boolean {
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  // An empty header counts too: a client can send one through a proxy that adds nothing, or adds only the other header.
  const isForwarded = 'forwarded' in headers || 'x-forwarded-for' in headers;
  return isLoopback && !isForwarded && isAllowedHost(headers.host, socket.localPort ?? 0, []);
}
