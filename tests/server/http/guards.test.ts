import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  createHttpServer,
  isEqualSecret,
  isAllowedHost,
  isAllowedOrigin,
  hasToken,
  makeTokenCookieHeader,
} from '#server/http/guards.ts';

test('A body that does not arrive in time is refused with the reason', async () => {
  const server = createHttpServer(100).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  socket.write('POST /api/x?y HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
  await once(socket, 'close');
  server.close();
  expect(text).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
  expect(text).toContain('application/problem+json');
  expect(text).toContain(
    '"detail":"The body was incomplete after 0.1 s. Send the request again","instance":"/api/x","code":"REQUEST_TIMEOUT"',
  );
});

describe('A response without a length that ends too early', () => {
  /** Returns the body and the error that a client of this HTTP version receives. */
  async function receive(version: '1.0' | '1.1', isComplete: boolean) {
    const server = createHttpServer().listen(0, '127.0.0.1');
    server.on('request', (_request, response) => {
      response.write('a,b\n', () => (isComplete ? response.end('1,2\n') : response.destroy()));
    });
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    let code: string | undefined;
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
    socket.write(`GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    server.close();
    return { body: text.split('\r\n\r\n')[1], code };
  }

  test('resets the connection of a client of HTTP/1.0, which would accept it as complete', async () => {
    expect(await receive('1.0', false)).toMatchObject({ code: 'ECONNRESET' });
    expect(await receive('1.0', true)).toEqual({ body: 'a,b\n1,2\n', code: undefined });
  });

  test('has no last chunk in HTTP/1.1', async () => {
    expect(await receive('1.1', false)).toEqual({ body: '4\r\na,b\n\r\n', code: undefined });
  });
});

describe('isAllowedHost', () => {
  test.each(['127.0.0.1:7070', 'localhost:7070', '[::1]:7070', 'LOCALHOST:7070'])(
    'accepts %s',
    (host) => {
      expect(isAllowedHost(host, 7070, [])).toBe(true);
    },
  );

  test.each([
    undefined,
    '',
    '127.0.0.1',
    '127.0.0.1:7071',
    'evil.example:7070',
    'localhost.evil.example:7070',
    '127.0.0.1:7070.evil.example',
    'evil.example@localhost:7070',
    '0.0.0.0:7070',
  ])('refuses %s', (host) => {
    expect(isAllowedHost(host, 7070, ['lab.example'])).toBe(false);
  });

  test('accepts a name without a port only if the port is 80', () => {
    expect(isAllowedHost('localhost', 80, [])).toBe(true);
    expect(isAllowedHost('[::1]', 80, [])).toBe(true);
    expect(isAllowedHost('evil.example', 80, [])).toBe(false);
  });

  test('accepts an allowed name with any port unless the allowed name contains a port', () => {
    expect(isAllowedHost('lab.example', 7070, ['lab.example'])).toBe(true);
    expect(isAllowedHost('Lab.Example:443', 7070, ['lab.example'])).toBe(true);
    expect(isAllowedHost('lab.example:8080', 7070, ['lab.example:8080'])).toBe(true);
    expect(isAllowedHost('lab.example:8081', 7070, ['lab.example:8080'])).toBe(false);
  });

  test('accepts each allowed name, in any case and with spaces around it', () => {
    expect(isAllowedHost('lab.example', 7070, ['other.example', ' Lab.Example '])).toBe(true);
  });
});

describe('isAllowedOrigin', () => {
  const post = {
    method: 'POST',
    host: 'localhost:7070',
    origin: undefined,
    secFetchSite: undefined,
  };

  test.each([
    ['a script that sends no headers of a browser', {}],
    ['our page', { secFetchSite: 'same-origin', origin: 'http://localhost:7070' }],
    ['the user in the address bar', { secFetchSite: 'none' }],
    ['our page in a browser without Sec-Fetch-Site', { origin: 'http://localhost:7070' }],
  ])('allows a change by %s', (_who, headers) => {
    expect(isAllowedOrigin({ ...post, ...headers })).toBe(true);
  });

  test.each([
    ['another site', { secFetchSite: 'cross-site', origin: 'https://evil.example' }],
    [
      'another port of this machine',
      { secFetchSite: 'same-site', origin: 'http://localhost:3000' },
    ],
    ['a sandboxed frame', { origin: 'null' }],
    ['a site that hides its origin', { secFetchSite: 'cross-site' }],
    ['a name that only starts like ours', { origin: 'http://localhost:7070.evil.example' }],
    ['an origin with a path', { origin: 'http://localhost:7070/' }],
  ])('refuses a change by %s', (_who, headers) => {
    expect(isAllowedOrigin({ ...post, ...headers })).toBe(false);
    expect(isAllowedOrigin({ ...post, ...headers, method: 'DELETE' })).toBe(false);
  });

  test('allows reading by any site, because browsers show its pages no response', () => {
    const foreignRequest = { ...post, secFetchSite: 'cross-site', origin: 'https://evil.example' };
    expect(isAllowedOrigin({ ...foreignRequest, method: 'GET' })).toBe(true);
    expect(isAllowedOrigin({ ...foreignRequest, method: 'HEAD' })).toBe(true);
  });
});

describe('hasToken', () => {
  const rule = { token: 's3cret', port: 7070 };
  const noCredentials = { authorization: undefined, cookie: undefined };
  const getCookie = (token: string, port: number) =>
    makeTokenCookieHeader({ token, port }).split(';')[0] ?? '';

  test('accepts the Authorization header', () => {
    expect(hasToken(rule, { ...noCredentials, authorization: 'Bearer s3cret' })).toBe(true);
    expect(hasToken(rule, { ...noCredentials, authorization: 'bearer  s3cret' })).toBe(true);
  });

  test('accepts the cookie of makeTokenCookieHeader for a token with any characters', () => {
    const oddRule = { token: 'a b;c="ü', port: 7070 };
    const cookie = `a=b; ${getCookie(oddRule.token, oddRule.port)}; c=d`;
    expect(hasToken(oddRule, { ...noCredentials, cookie })).toBe(true);
  });

  test.each([
    noCredentials,
    { ...noCredentials, authorization: 's3cret' },
    { ...noCredentials, authorization: 'Basic s3cret' },
    { ...noCredentials, authorization: 'Bearer s3cre' },
    { ...noCredentials, authorization: 'Bearer s3cret2' },
    { ...noCredentials, cookie: `x${getCookie('s3cret', 7070)}` },
    { ...noCredentials, cookie: 'evoscope-7070=s3cret' },
    { ...noCredentials, cookie: 'evoscope-7070=%E0%A4%A' },
    { ...noCredentials, cookie: 'evoscope-7070=' },
    { ...noCredentials, cookie: getCookie('s3cret', 7071) },
    { ...noCredentials, cookie: getCookie('s3cret', 7071).replace('7071', '7070') },
    { ...noCredentials, cookie: getCookie('other', 7070) },
  ])('refuses %j', (headers) => {
    expect(hasToken(rule, headers)).toBe(false);
  });

  test('does not treat a missing token as equal to an empty token', () => {
    expect(isEqualSecret(undefined, '')).toBe(false);
    expect(isEqualSecret('', '')).toBe(true);
  });
});

test('the cookie is inaccessible to scripts and other sites, and does not contain the token', () => {
  const header = makeTokenCookieHeader({ token: 's3cret', port: 7070 });
  expect(header).toMatch(/^evoscope-7070=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(header).not.toContain('s3cret');
});
