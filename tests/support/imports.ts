import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { openAsBlob } from 'node:fs';
import type { ImportState } from '#shared/schemas/import.ts';
import type { TestService } from './test-service.ts';

/** Starts an import of a file, a path or the sample, and returns the status and the body of the response. */
export async function sendImport(
  { url }: Pick<TestService, 'url'>,
  source: { file: string; type?: string } | { path: string } | { sample: true },
  query = '',
): Promise<{ status: number; body: Record<string, unknown> }> {
  const isFile = 'file' in source;
  const type = isFile ? (source.type ?? 'application/gzip') : 'application/json';
  const response = await fetch(`${url}/api/import?${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: isFile ? await openAsBlob(source.file) : JSON.stringify(source),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Reads the events of an import until its end. */
export async function readEvents(
  { url }: Pick<TestService, 'url'>,
  importId: string,
): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const response = await fetch(`${url}/api/import/${importId}/events`);
  const text = await response.text();
  return [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

/** Imports like {@link sendImport}, and returns the final state. */
export async function importThrough(
  service: Pick<TestService, 'url'>,
  source: Parameters<typeof sendImport>[1],
  query = '',
): Promise<ImportState> {
  const { status, body } = await sendImport(service, source, query);
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const importId = String(body['importId']);
  await readEvents(service, importId);
  const response = await fetch(`${service.url}/api/import/${importId}`);
  return (await response.json()) as ImportState;
}

/** Starts an upload and sends only a part of it. Resolves when the service starts to read it. */
export async function beginUpload(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /api/import?name=upload HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: 100-continue\r\n` +
      'Content-Type: application/gzip\r\nContent-Length: 1000000\r\n\r\npart',
  );
  const [firstBytes] = (await once(socket, 'data')) as [Buffer];
  if (!firstBytes.toString().startsWith('HTTP/1.1 100')) throw new Error(firstBytes.toString());
  return socket;
}
