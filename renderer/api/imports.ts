import { addresses } from '#shared/addresses.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { ImportFailure, ImportProgress, ImportResult } from '#shared/schemas/import.ts';
import { call, getEndpointUrl, makeForeignResponse, type QueryOf } from './client.ts';
import { asProblemError, ProblemError } from '#renderer/state/problem-error.ts';
import { makeDatabaseHeaders, makeIdentityHeaders } from './opened-database.ts';

/** Source of an import: a file to upload, a path on the service's machine, or the included sample. */
export type ImportSource = { file: File } | { path: string } | { sample: true };

/** Result of an import. */
export type ImportOutcome = { result: ImportResult } | { failure: ImportFailure };

/** Media types of tables by file ending; the service recognises archives by their content. */
const tableTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
};

function getType(fileName: string): string {
  const ending = fileName.split('.').at(-1)?.toLowerCase() ?? '';
  return tableTypes[ending] ?? 'application/octet-stream';
}

/**
 * Starts an import and returns its id; `onSent` receives the uploaded share of a file. Throws {@link ProblemError} as
 * {@link call} does, and an AbortError when `signal` cancels the upload.
 */
export async function startImport(
  source: ImportSource,
  query: QueryOf<'startImport'>,
  { onSent, signal }: { onSent: (share: number) => void; signal: AbortSignal },
): Promise<string> {
  if (!('file' in source))
    return (await call('startImport', { query, body: source, signal })).importId;
  // Unlike fetch, it reports the progress of the upload.
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded / (total || 1)));
  request.addEventListener('load', () => {
    const importId = request.status === 202 ? getImportId(request) : undefined;
    if (importId === undefined) reject(makeResponseError(request));
    else resolve(importId);
  });
  request.addEventListener('error', () => reject(makeUploadError()));
  request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.open('POST', getEndpointUrl('startImport', { query }));
  request.setRequestHeader('Content-Type', getType(source.file.name));
  for (const [name, value] of Object.entries({
    ...makeDatabaseHeaders(),
    ...makeIdentityHeaders(),
  }))
    request.setRequestHeader(name, value);
  request.send(source.file);
  return promise;
}

function makeUploadError(): ProblemError {
  const detail = 'The upload failed, because the service does not respond. Is it still running?';
  return new ProblemError('UNREACHABLE', detail, 0);
}

function makeResponseError({ responseText, status }: XMLHttpRequest): ProblemError {
  if (status === 202) return makeForeignResponse(status);
  const { code, detail } = parseJson<ProblemDocument>(responseText) ?? {};
  const reason = detail ?? `The service responded with ${status} without a reason.`;
  return new ProblemError(code ?? 'INTERNAL', reason, status);
}

/** Returns the fields of a response; null for a text that is not JSON, such as the page of a proxy. */
function parseJson<Body>(text: string): Partial<Body> | null {
  try {
    return JSON.parse(text) as Partial<Body> | null;
  } catch {
    return null;
  }
}

function getImportId({ responseText }: XMLHttpRequest): string | undefined {
  return parseJson<{ importId: string }>(responseText)?.importId;
}

/** Delay before the page asks for an import again whose stream was refused. */
const reopenMillis = 5_000;

/**
 * Follows an import to its end and reports its progress. The browser reconnects a broken stream. If the stream is
 * refused, as by a proxy while the service restarts, the page reads the state of the import, and opens the stream again
 * every 5 s until the service responds. Rejects with IMPORT_NOT_FOUND for an import that the service does not know, and
 * with the error of another request that can never succeed.
 */
export async function watchImport(
  importId: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportOutcome> {
  for (;;) {
    const outcome =
      (await readStream(importId, onProgress)) ?? (await readOutcome(importId, onProgress));
    if (outcome !== null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, reopenMillis));
  }
}

/** Resolves with the end of an import; null when the stream is refused. */
function readStream(
  importId: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportOutcome | null> {
  const path = addresses.watchImport.path.replace('{importId}', encodeURIComponent(importId));
  const stream = new EventSource(path);
  const { promise, resolve } = Promise.withResolvers<ImportOutcome | null>();
  const on = (name: string, act: (data: unknown) => void) =>
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => act(JSON.parse(data)));
  on('progress', (progress) => onProgress(progress as ImportProgress));
  on('done', (result) => resolve({ result: result as ImportResult }));
  on('failed', (failure) => resolve({ failure: failure as ImportFailure }));
  stream.addEventListener('error', () => {
    if (stream.readyState === EventSource.CLOSED) resolve(null);
  });
  return promise.finally(() => stream.close());
}

/** Returns the end of an import from its state; null while it runs, and while the service cannot respond. */
async function readOutcome(
  importId: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportOutcome | null> {
  try {
    const { progress, result, failure } = await call('getImport', { params: { importId } });
    if (result) return { result };
    if (failure) return { failure };
    onProgress(progress);
    return null;
  } catch (error) {
    const { status, code } = asProblemError(error);
    if (code === 'IMPORT_NOT_FOUND') throw makeLostImport();
    if (code === 'UNREACHABLE' || status === 429 || status >= 500) return null;
    throw error;
  }
}

function makeLostImport(): ProblemError {
  const detail =
    'The service no longer stores this import: it restarted, or imported many others. If the data set is missing, import it again.';
  return new ProblemError('IMPORT_NOT_FOUND', detail, 404);
}
