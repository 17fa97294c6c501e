import type { Request } from 'express';
import { basename, isAbsolute } from 'node:path';
import { importBody, type importQuery, uploadTypes } from '#shared/schemas/import.ts';
import { identityHeader } from '#shared/words.ts';
import type * as z from 'zod';
import { ProblemError, validationError } from '#server/errors.ts';
import { sampleCampaign } from '#server/ingest/importers/sample-campaign.ts';
import { defaultLimits } from '#server/ingest/importers/source/meter.ts';
import { spool } from '#server/ingest/importers/source/spool.ts';
import { liftReceiveLimit } from './http-server.ts';
import type { ImportRequest, Imports } from './imports.ts';
import { isAllowedHost } from './security.ts';
import { readBody } from './validation.ts';

type Query = z.infer<typeof importQuery>;

/** Tables are told by the ends of their names, archives by their content. */
const endings = new Map<string, string>([
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['application/x-ndjson', '.jsonl'],
]);

/**
 * Starts the import that a request asks for and answers its id. The body, of any length up to what is imported at
 * most, goes packed as it is into a temporary file of no name first: so an import never waits for a client, nothing
 * begins for a body that breaks off, and zips can be read. UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, and what
 * {@link Imports.start} throws.
 */
export function receiveUpload(
  imports: Imports,
  request: Request,
  query: Query,
  maximumBytes = defaultLimits.bytes,
): Promise<string> {
  const type = uploadTypes.find((known) => request.is(known));
  if (type === undefined || (request.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new ProblemError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send an archive or a table as one of ${uploadTypes.join(', ')}, or {"path": …} as application/json`,
    );
  }
  if (Number(request.get('content-length') ?? 0) > maximumBytes) throw tooLarge(maximumBytes);
  const name = `${query.name ?? 'data set'}${endings.get(type) ?? (query.kind === 'table' ? '.csv' : '')}`;
  return imports.start(query.name ?? 'what was sent', query.dryRun, async () => {
    liftReceiveLimit(request);
    const { descriptor, size, remove } = await spool(bodyOf(request, maximumBytes)).catch(noRoom);
    const source = { name, descriptor, size };
    return { source, options: query, identity: request.get(identityHeader), release: remove };
  });
}

async function* bodyOf(request: Request, maximumBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maximumBytes) throw tooLarge(maximumBytes);
    yield bytes;
  }
}

function tooLarge(maximumBytes: number): ProblemError {
  return new ProblemError(
    'PAYLOAD_TOO_LARGE',
    `What is sent may have ${Math.floor(maximumBytes / 2 ** 20)} MB at most`,
    { headers: { Connection: 'close' } },
  );
}

function noRoom(error: unknown): never {
  const { code } = Object(error) as { code?: unknown };
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  throw new ProblemError(
    'PAYLOAD_TOO_LARGE',
    'The temporary folder of the service has no room for it: import it by its path, or make room',
  );
}

/**
 * Starts the import of the sample campaign, or of a folder or file of this machine, which only a client on it may name,
 * and answers its id. VALIDATION_FAILED; FORBIDDEN_PATH.
 */
export function receivePath(imports: Imports, request: Request, query: Query): Promise<string> {
  const body = readBody(importBody, request.body) as z.infer<typeof importBody>;
  const named = 'sample' in body ? sampleCampaign : allowedPath(body.path, request);
  const options = { ...query, name: query.name ?? named.name };
  const prepare = async (): Promise<ImportRequest> => ({
    source: { path: named.path },
    options,
    identity: request.get(identityHeader),
  });
  return imports.start(options.name ?? basename(named.path), query.dryRun, prepare);
}

function allowedPath(path: string, request: Request): { path: string; name: string | undefined } {
  if (!isOnThisMachine(request))
    throw new ProblemError(
      'FORBIDDEN_PATH',
      'Paths can be named on the machine of the service only: send the archive instead',
    );
  if (!isAbsolute(path))
    throw validationError([{ path: 'path', message: 'must be an absolute path' }]);
  return { path, name: undefined };
}

/** Whether the connection comes from this machine, and not on behalf of another one by a proxy under its name. */
function isOnThisMachine({ socket, headers }: Request): boolean {
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  const isForwarded = headers['forwarded'] ?? headers['x-forwarded-for'];
  return isLoopback && !isForwarded && isAllowedHost(headers.host, socket.localPort ?? 0, []);
}
