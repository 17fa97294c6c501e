import { describe, expect, test } from 'vitest';
import {
  decideLink,
  makeHeaders,
  isOwnAddress,
  canDownload,
  canLoad,
  canUse,
} from '#electron/access.ts';

const serviceUrl = 'http://127.0.0.1:7070/';

describe('an address belongs to the service', () => {
  test.each([
    'http://127.0.0.1:7070',
    'http://127.0.0.1:7070/runs/abc?tab=events#top',
    'HTTP://127.0.0.1:7070/',
    'ws://127.0.0.1:7070/',
    'blob:http://127.0.0.1:7070/7c7e1e9e-5c9b-4a49-a2be-3f4b2b4f9c11',
  ])('when it is %s', (address) => {
    expect(isOwnAddress(address, serviceUrl)).toBe(true);
  });

  test.each([
    'http://127.0.0.1:7071/',
    'https://127.0.0.1:7070/',
    'http://localhost:7070/',
    'http://127.0.0.1.example.org:7070/',
    'http://127.0.0.1:7070@example.org/',
    'http://example.org/http://127.0.0.1:7070/',
    'wss://127.0.0.1:7070/',
    'blob:http://example.org/7c7e1e9e',
    'blob:null/7c7e1e9e',
    'file:///etc/passwd',
    'data:text/html,hello',
    'javascript:alert(1)',
    'about:blank',
    '/runs',
    '',
  ])('but not when it is "%s"', (address) => {
    expect(isOwnAddress(address, serviceUrl)).toBe(false);
  });
});

test.each([
  ['http://127.0.0.1:7070/experiments', 'here'],
  ['https://doi.org/10.1145/2908961', 'outside'],
  ['https://coco-platform.org/', 'outside'],
  ['https://example.org/', 'deny'],
  ['http://doi.org/10.1145/2908961', 'deny'],
  ['http://127.0.0.1:9999/', 'deny'],
  ['blob:http://127.0.0.1:7070/7c7e1e9e', 'deny'],
  ['ws://127.0.0.1:7070/', 'deny'],
  ['file:///etc/passwd', 'deny'],
  ['data:text/html,<h1>hello</h1>', 'deny'],
  ['javascript:alert(1)', 'deny'],
  ['mailto:somebody@example.org', 'deny'],
  ['', 'deny'],
])('a link to "%s" goes: %s', (address, decision) => {
  expect(decideLink(address, serviceUrl)).toBe(decision);
});

test.each([
  ['http://127.0.0.1:7070/assets/main.js', true],
  ['blob:http://127.0.0.1:7070/7c7e1e9e', true],
  ['data:image/png;base64,AAAA', true],
  ['devtools://devtools/bundled/inspector.html', true],
  ['https://doi.org/', false],
  ['https://example.org/pixel.png', false],
  ['file:///etc/passwd', false],
  ['chrome://gpu', false],
])('loading %s is allowed: %s', (address, expected) => {
  expect(canLoad(address, serviceUrl)).toBe(expected);
});

test.each([
  ['http://127.0.0.1:7070/', false],
  ['https://example.org/', false],
  ['file:///etc/passwd', false],
  ['data:text/html;charset=utf-8,Starting', true],
])('without a service loading %s is allowed: %s', (address, expected) => {
  expect(canLoad(address, undefined)).toBe(expected);
});

test.each([
  ['http://127.0.0.1:7070/api/openapi.json', true],
  ['blob:http://127.0.0.1:7070/7c7e1e9e', true],
  ['data:image/svg+xml,AAAA', true],
  ['https://example.org/setup.exe', false],
  ['blob:http://example.org/7c7e1e9e', false],
])('saving %s is allowed: %s', (address, expected) => {
  expect(canDownload(address, serviceUrl)).toBe(expected);
});

test.each([
  ['clipboard-sanitized-write', 'http://127.0.0.1:7070/runs', true, true],
  ['clipboard-sanitized-write', 'http://127.0.0.1:7070/runs', false, false],
  ['clipboard-sanitized-write', 'https://example.org/', true, false],
  ['clipboard-sanitized-write', '', true, false],
  ['clipboard-read', serviceUrl, true, false],
  ['notifications', serviceUrl, true, false],
  ['media', serviceUrl, true, false],
  ['geolocation', serviceUrl, true, false],
  ['openExternal', serviceUrl, true, false],
  ['fileSystem', serviceUrl, true, false],
  ['usb', serviceUrl, true, false],
])(
  'permission %s for %s (main frame: %s) is %s',
  (permission, requester, isMainFrame, expected) => {
    expect(canUse(permission, requester, isMainFrame, serviceUrl)).toBe(expected);
  },
);

describe('the token', () => {
  const headers = { Accept: 'application/json' };

  test('is added to the headers of requests to the service', () => {
    expect(makeHeaders(`${serviceUrl}api/runs`, headers, serviceUrl, 's3cret')).toEqual({
      Accept: 'application/json',
      Authorization: 'Bearer s3cret',
    });
    expect(headers).toEqual({ Accept: 'application/json' });
  });

  test.each([
    'https://doi.org/',
    'http://127.0.0.1:7071/api/runs',
    'http://localhost:7070/api/runs',
  ])('does not go to %s', (address) => {
    expect(makeHeaders(address, headers, serviceUrl, 's3cret')).toEqual(headers);
  });
});
