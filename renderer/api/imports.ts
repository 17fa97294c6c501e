import { addresses } from '#shared/addresses.ts';
import type { Problem } from '#shared/schemas/error.ts';
import type { ImportFailure, ImportProgress, ImportResult } from '#shared/schemas/import.ts';
import { call, endpointUrl, ProblemError, type QueryOf } from './client.ts';
import { databaseHeaders, identityHeaders } from './opened-database.ts';

/** What is imported: a file that is sent, what stands at a path of the service's machine, or what it brings along. */
export type ImportSource = { file: File } | { path: string } | { sample: true };

/** What became of an import. */
export type ImportOutcome = { result: ImportResult } | { failure: ImportFailure };

/** Tables are told by their type, archives by their content. */
const tableTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
};

function typeOf(fileName: string): string {
  const ending = fileName.split('.').at(-1)?.toLowerCase() ?? '';
  return tableTypes[ending] ?? 'application/octet-stream';
}

/**
 * Starts an import and answers its id; `onSent` is told which share of a file is sent. Throws {@link ProblemError}
 * as {@link call} does, and an AbortError when `signal` cancels the sending.
 */
export async function startImport(
  source: ImportSource,
  query: QueryOf<'startImport'>,
  { onSent, signal }: { onSent: (share: number) => void; signal: AbortSignal },
): Promise<string> {
  if (!('file' in source))
    return (await call('startImport', { query, body: source, signal })).importId;
  // Only this old way of asking tells how much is sent.
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded / (total || 1)));
  request.addEventListener('load', () =>
    request.status === 202 ? resolve(importIdIn(request)) : reject(problemIn(request)),
  );
  request.addEventListener('error', () => reject(notSent()));
  request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.open('POST', endpointUrl('startImport', { query }));
  request.setRequestHeader('Content-Type', typeOf(source.file.name));
  for (const [name, value] of Object.entries({ ...databaseHeaders(), ...identityHeaders() }))
    request.setRequestHeader(name, value);
  request.send(source.file);
  return promise;
}

function notSent(): ProblemError {
  return new ProblemError(
    'UNREACHABLE',
    'The file could not be sent: the service has gone away',
    0,
  );
}

function problemIn({ responseText, status }: XMLHttpRequest): ProblemError {
  const { code, detail } = JSON.parse(responseText || '{}') as Partial<Problem>;
  const said = detail ?? `The service answered ${status} without saying why.`;
  return new ProblemError(code ?? 'INTERNAL', said, status);
}

function importIdIn({ responseText }: XMLHttpRequest): string {
  return (JSON.parse(responseText) as { importId: string }).importId;
}

/**
 * Follows an import to its end, telling of its progress. A stream that breaks is taken up again by the browser; an
 * import that the service does not know rejects with IMPORT_NOT_FOUND.
 */
export function watchImport(
  importId: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportOutcome> {
  const path = addresses.watchImport.path.replace('{importId}', encodeURIComponent(importId));
  const stream = new EventSource(path);
  const { promise, resolve, reject } = Promise.withResolvers<ImportOutcome>();
  const on = (name: string, act: (data: unknown) => void) =>
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => act(JSON.parse(data)));
  on('progress', (progress) => onProgress(progress as ImportProgress));
  on('done', (result) => resolve({ result: result as ImportResult }));
  on('failed', (failure) => resolve({ failure: failure as ImportFailure }));
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    reject(
      new ProblemError(
        'IMPORT_NOT_FOUND',
        'The service knows nothing of this import any more. One that was under way when it ended has left nothing.',
        404,
      ),
    );
  });
  return promise.finally(() => stream.close());
}
