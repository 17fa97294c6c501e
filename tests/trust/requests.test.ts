import { spawnSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitSending } from '#server/http/guards.ts';
import { getCsv } from '#renderer/ui/table/csv.ts';
import {
  describeOnEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '#tests/support/databases.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const token = 'a-token-of-16-chars';

/** Returns the response of a service to raw bytes. */
async function send(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return (await socket.toArray()).join('');
}

/** The status code of the response of a service to these header lines of a request. */
async function getStatus(port: number, ...lines: string[]): Promise<number> {
  const answer = await send(port, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

describe('a request in raw bytes', () => {
  let database: TestDatabase;
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    database = await openTestDatabase('jdbc:sqlite::memory:');
    service = await startService(database, { isInThisThread: true });
    port = Number(new URL(service.url).port);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  test.each([
    ['GET /api/health HTTP/1.1', 'Host: localhost:PORT'],
    ['GET /api/health HTTP/1.1', 'host:   LOCALHOST:PORT  '],
    ['GET /api/health HTTP/1.1', 'Host: [::1]:PORT'],
    ['GET /api/health HTTP/1.1', 'Host: 127.0.0.1:PORT', 'X-Forwarded-Host: evil.example'],
    ['GET http://127.0.0.1:PORT/api/health HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['GET /api/health HTTP/1.0', 'Host: localhost:PORT'],
  ])('is answered: %s, %s', async (...lines) => {
    expect(
      await getStatus(port, ...lines.map((line) => line.replaceAll('PORT', String(port)))),
    ).toBe(200);
  });

  test.each([
    [400, 'GET /api/health HTTP/1.1', 'Host: localhost:PORT', 'Host: localhost:PORT'],
    [400, 'GET /api/health HTTP/1.1', 'Host: localhost:PORT', 'hOST: evil.example'],
    [400, 'GET /api/health HTTP/1.1', 'Host: evil.example', 'Host: localhost:PORT'],
    [400, 'GET /api/health HTTP/1.1'],
    [403, 'GET /api/health HTTP/1.0'],
    [403, 'GET /api/health HTTP/1.1', 'Host:'],
    [403, 'GET /api/health HTTP/1.1', 'Host: evil.example', 'X-Forwarded-Host: localhost:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: evil.example', 'Forwarded: host=localhost:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: evil.example:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost:0'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost:0PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost.:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: user@localhost:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost:PORT@evil.example'],
    [403, 'GET /api/health HTTP/1.1', 'Host: localhost:PORT, evil.example'],
    [403, 'GET /api/health HTTP/1.1', 'Host: local host:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: [::1%25lo]:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: 127.1:PORT'],
    [403, 'GET /api/health HTTP/1.1', 'Host: 2130706433:PORT'],
    [403, 'GET http://evil.example/api/health HTTP/1.1', 'Host: localhost:PORT'],
    [403, 'GET http://evil.example:PORT/api/health HTTP/1.1', 'Host: localhost:PORT'],
    [403, 'GET http://localhost:PORT@evil.example/api/health HTTP/1.1', 'Host: localhost:PORT'],
    [403, 'GET http://localhost:PORT/api/health HTTP/1.1', 'Host: evil.example'],
    [403, 'GET /api/changes HTTP/1.1', 'Host: evil.example', 'Accept: text/event-stream'],
    [403, 'GET / HTTP/1.1', 'Host: evil.example'],
    [
      403,
      'GET /api/changes HTTP/1.1',
      'Host: evil.example',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: x',
    ],
  ])('is refused with %i: %s, %s, %s', async (status, ...lines) => {
    expect(
      await getStatus(port, ...lines.map((line) => String(line).replaceAll('PORT', String(port)))),
    ).toBe(status);
  });

  test('with more than one Host header is refused with the reason', async () => {
    const answer = await send(
      port,
      `GET /api/health HTTP/1.1\r\nHost: localhost:${port}\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain('"detail":"The request has more than one Host header. Send one"');
  });
});

describeOnEachDatabase('an odd request', (database) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database(), { token, isInThisThread: true });
  });
  afterAll(() => service.close());

  test.each([
    '{"z":{"toString":1,"valueOf":1}}',
    '{"experimentIds":{"toString":1}}',
    '{"reason":{"toString":null}}',
    '[{"toString":1}]',
    '['.repeat(100_000),
    '['.repeat(100_000) + ']'.repeat(100_000),
    `{"reason":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000),
  ])('with the body %.40s is refused with a message', async (body) => {
    for (const path of [
      '/api/runs/r1/stop',
      '/api/experiments/e1/stop',
      '/api/experiments/delete-bulk',
    ]) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const answer = await fetch(service.url + path, { method: 'POST', headers, body });
      expect([400, 404, 405]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  test.each([
    `//[?token=${token}`,
    'http://[/',
    'http://a b/',
    'http://:70000/',
    '*',
    '\\\\x',
    '?',
    '//',
    '/%',
    '/api/runs/%ff',
  ])('for %s is refused with a message, and no token is logged', async (target) => {
    const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n\r\n`;
    const answer = await send(service.port, head);
    expect(answer).toMatch(/^HTTP\/1\.1 (?:400|401|404|414)/);
    expect(answer).not.toMatch(/^HTTP\/1\.1 500/);
    if (!answer.startsWith('HTTP/1.1 400 Bad Request\r\nConnection: close')) {
      expect(answer).toContain('application/problem+json');
    }
    expect(JSON.stringify(service.logEntries)).not.toContain(token);
  });

  test('in absolute form gets a response after a check of the host', async () => {
    const of = (host: string) =>
      send(
        service.port,
        `GET http://${host}/api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
    expect(await of(`127.0.0.1:${service.port}`)).toMatch(/^HTTP\/1\.1 200/);
    expect(await of('evil.example')).toMatch(/^HTTP\/1\.1 403/);
  });
});

test('a client that does not read its response is disconnected, one that waits for it is not', async () => {
  const big = 'x'.repeat(20_000_000);
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response: ServerResponse) => {
    const answer = () => {
      limitSending(response, { stallMillis: 300, sendMillis: 60_000 });
      response.end(request.url === '/slow' ? 'there' : big);
    };
    if (request.url === '/slow') setTimeout(answer, 900);
    else {
      response.once('close', closed.resolve);
      answer();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const idle = connect(port, '127.0.0.1', () => idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  idle.pause();
  await closed.promise;
  expect(await (await fetch(`http://127.0.0.1:${port}/slow`)).text()).toBe('there');
  idle.destroy();
  server.closeAllConnections();
  server.close();
});

test.each([' =1+1', '\n=1+1', '\t=1+1', '＝1+1', '\u00A0@x', '＋1', '\r+cmd'])(
  'a spreadsheet reads %j of a page’s table as text',
  (text) => {
    expect(getCsv(['a'], [[text]])).toContain(`'${text}`);
  },
);

describe('the log', () => {
  test.each(['info', 'error'])(
    'at level %s has at most 50 lines per second, and reports the number of omitted ones',
    (level) => {
      const logger = fileURLToPath(new URL('../../server/logger.ts', import.meta.url));
      const program = `const { createLogger } = await import(${JSON.stringify(logger)});
      const log = createLogger('${level}');
      for (let line = 0; line < 5_000; line += 1) log.${level}('line');
      setTimeout(() => {}, 1_500);`;
      const flags = ['--input-type=module', '-e', program];
      const { stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
      const lines = stderr.trim().split('\n');
      expect(lines.length).toBeLessThan(110);
      expect(lines.at(-1)).toMatch(/"msg":"Omitted \d+ more lines in a second"/);
    },
  );
});
