import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importQuery } from '#shared/schemas/import.ts';
import { createErrorHandler } from '#server/http/error-handler.ts';
import { createHttpServer } from '#server/http/guards.ts';
import { receiveUpload } from '#server/http/bind-imports.ts';
import { createLogger } from '#server/logger.ts';
import { Imports } from '#server/runtime/imports.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/databases.ts';
import express, { type Request, type Response } from 'express';

/** Small size limit of an upload; the time limits are longer than a test. */
const limits = { bytes: 4_096, minimumBytes: 64, intervalMillis: 60_000, totalMillis: 60_000 };

describe('an upload', () => {
  let database: TestDatabase;
  let imports: Imports;
  let server: Server;
  let sockets: Socket[];

  beforeEach(async () => {
    database = await openTestDatabase(':memory:');
    sockets = [];
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    await imports.close(AbortSignal.abort());
    server.close();
    await database.close();
  });

  async function listen(changes: Partial<typeof limits> = {}): Promise<void> {
    const logger = createLogger('silent');
    imports = new Imports({ database, logger });
    const app = express();
    const receive = async (request: Request, response: Response) => {
      const query = importQuery.parse({ name: 'upload' });
      const importId = await receiveUpload(imports, request, query, { ...limits, ...changes });
      response.status(202).json({ importId });
    };
    app.post('/', (request, response) => receive(request, response));
    app.use(createErrorHandler(database.dialect, logger));
    server = createHttpServer().on('request', app);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Starts an upload; `response` resolves with all bytes received until the connection is closed. */
  async function start(
    body: string,
    length = 1_000,
  ): Promise<{ socket: Socket; response: Promise<string> }> {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    let text = '';
    const firstData = Promise.withResolvers<void>();
    socket.on('data', (data: Buffer) => {
      text += data.toString();
      firstData.resolve();
    });
    const response = once(socket, 'close').then(() => text);
    socket.write(
      'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nExpect: 100-continue\r\n' +
        `Content-Type: text/csv\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    await firstData.promise;
    return { socket, response };
  }

  test('that pauses is ended with an error that states the reason', async () => {
    await listen({ intervalMillis: 100 });
    const { response } = await start('part');
    const text = await response;
    expect(text).toContain('HTTP/1.1 408');
    expect(text).toContain('REQUEST_TIMEOUT');
    expect(text).toContain(
      'The upload was too slow, so the service imported nothing. Send it again, or import it by its path',
    );
    expect(imports.list()).toEqual([]);
  });

  test('that receives single bytes slowly is ended as well', async () => {
    await listen({ intervalMillis: 200 });
    const { socket, response } = await start('part');
    const timer = setInterval(() => socket.write('x'), 20);
    expect(await response).toContain('HTTP/1.1 408');
    clearInterval(timer);
  });

  test('that takes too long in total is ended at any speed', async () => {
    await listen({ totalMillis: 100, minimumBytes: 1 });
    const { response } = await start('part');
    expect(await response).toContain('HTTP/1.1 408');
  });

  test('without Content-Length is refused when it becomes too large', async () => {
    await listen();
    const { port } = server.address() as AddressInfo;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(5_000));
        controller.close();
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body, duplex: 'half' };
    const response = await fetch(`http://127.0.0.1:${port}`, init);
    expect(await response.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      detail: 'An upload may have at most 0 MiB. Upload it in parts',
    });
  });

  test('is refused while eight others are being received, and accepted after one of these uploads was aborted', async () => {
    await listen();
    for (let count = 0; count < 8; count += 1) await start('part');
    const refusedUpload = await start('part');
    const text = await refusedUpload.response;
    expect(text).toContain('IMPORT_RUNNING');
    expect(text).toContain(
      'The service is receiving 8 uploads, which is the limit. Try again when one has ended',
    );
    sockets[0]?.destroy();
    await expect
      .poll(async () => {
        const table = 'evaluations,best\n1,2\n';
        const { response } = await start(table, table.length);
        return response;
      })
      .toContain('HTTP/1.1 202');
  });

  test('is refused if all uploads together are too large', async () => {
    await listen();
    const first = await start('x'.repeat(3_000), 4_000);
    const second = await start('x'.repeat(3_000), 4_000);
    // The service may read the body of the second one first.
    expect(await Promise.race([first.response, second.response])).toContain(
      'Other uploads use all the space for uploads. Try again when they have ended',
    );
  });

  test('that ends after the database was closed is not imported, and the error states the reason', async () => {
    await listen();
    const { socket, response } = await start('part', 8);
    await imports.close(AbortSignal.abort());
    socket.write('more');
    expect(await response).toContain(
      'The service closed the database before the import began, so it imported nothing. Import again into the open one',
    );
    expect(imports.list()).toEqual([]);
  });
});
