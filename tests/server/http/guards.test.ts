import { describe, expect, test } from 'vitest';
import {
  equalSecrets,
  isAllowedHost,
  isAllowedOrigin,
  provesToken,
  tokenCookieHeader,
} from '#server/http/guards.ts';

describe('a Host header is ours', () => {
  test.each(['127.0.0.1:7070', 'localhost:7070', '[::1]:7070', 'LOCALHOST:7070'])('%s', (host) => {
    expect(isAllowedHost(host, 7070, [])).toBe(true);
  });

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
  ])('but not %s', (host) => {
    expect(isAllowedHost(host, 7070, ['lab.example'])).toBe(false);
  });

  test('without a port only where it is 80', () => {
    expect(isAllowedHost('localhost', 80, [])).toBe(true);
    expect(isAllowedHost('[::1]', 80, [])).toBe(true);
  });

  test('when it is an allowed name, with any port unless one is allowed', () => {
    expect(isAllowedHost('lab.example', 7070, ['lab.example'])).toBe(true);
    expect(isAllowedHost('Lab.Example:443', 7070, ['lab.example'])).toBe(true);
    expect(isAllowedHost('lab.example:8080', 7070, ['lab.example:8080'])).toBe(true);
    expect(isAllowedHost('lab.example:8081', 7070, ['lab.example:8080'])).toBe(false);
  });
});

describe('a request that changes something is allowed', () => {
  const post = {
    method: 'POST',
    host: 'localhost:7070',
    origin: undefined,
    secFetchSite: undefined,
  };

  test.each([
    ['a script, without headers of a browser', {}],
    ['our page', { secFetchSite: 'same-origin', origin: 'http://localhost:7070' }],
    ['the user, from the address bar', { secFetchSite: 'none' }],
    ['our page in a browser without Sec-Fetch-Site', { origin: 'http://localhost:7070' }],
  ])('from %s', (_who, headers) => {
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
    ['a name that only begins like ours', { origin: 'http://localhost:7070.evil.example' }],
    ['an origin with a path', { origin: 'http://localhost:7070/' }],
  ])('but not from %s', (_who, headers) => {
    expect(isAllowedOrigin({ ...post, ...headers })).toBe(false);
    expect(isAllowedOrigin({ ...post, ...headers, method: 'DELETE' })).toBe(false);
  });

  test('and reading is allowed to anyone, since no page of another site sees the answer', () => {
    const foreign = { ...post, secFetchSite: 'cross-site', origin: 'https://evil.example' };
    expect(isAllowedOrigin({ ...foreign, method: 'GET' })).toBe(true);
    expect(isAllowedOrigin({ ...foreign, method: 'HEAD' })).toBe(true);
  });
});

describe('a token is proved', () => {
  const rule = { token: 's3cret', port: 7070 };
  const none = { authorization: undefined, cookie: undefined };
  const cookieOf = (token: string, port: number) =>
    tokenCookieHeader({ token, port }).split(';')[0] ?? '';

  test('by the Authorization header', () => {
    expect(provesToken(rule, { ...none, authorization: 'Bearer s3cret' })).toBe(true);
    expect(provesToken(rule, { ...none, authorization: 'bearer  s3cret' })).toBe(true);
  });

  test('by the very cookie that is handed out, whatever characters the token has', () => {
    const odd = { token: 'a b;c="ü', port: 7070 };
    const cookie = `a=b; ${cookieOf(odd.token, odd.port)}; c=d`;
    expect(provesToken(odd, { ...none, cookie })).toBe(true);
  });

  test.each([
    none,
    { ...none, authorization: 's3cret' },
    { ...none, authorization: 'Basic s3cret' },
    { ...none, authorization: 'Bearer s3cre' },
    { ...none, authorization: 'Bearer s3cret2' },
    { ...none, cookie: `x${cookieOf('s3cret', 7070)}` },
    { ...none, cookie: 'evoscope-7070=s3cret' },
    { ...none, cookie: 'evoscope-7070=%E0%A4%A' },
    { ...none, cookie: 'evoscope-7070=' },
    { ...none, cookie: cookieOf('s3cret', 7071) },
    { ...none, cookie: cookieOf('s3cret', 7071).replace('7071', '7070') },
    { ...none, cookie: cookieOf('other', 7070) },
  ])('but not by %j', (headers) => {
    expect(provesToken(rule, headers)).toBe(false);
  });

  test('and nothing is not equal to an empty token', () => {
    expect(equalSecrets(undefined, '')).toBe(false);
    expect(equalSecrets('', '')).toBe(true);
  });
});

test('the cookie is out of reach of scripts and other sites, and does not tell the token', () => {
  const header = tokenCookieHeader({ token: 's3cret', port: 7070 });
  expect(header).toMatch(/^evoscope-7070=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(header).not.toContain('s3cret');
});
