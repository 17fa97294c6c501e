import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashDatabaseUrl } from '#server/db/url.ts';
import { isKnownPage } from '#server/http/pages.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/databases.ts';
import {
  makePages,
  sendRawRequest,
  startService,
  type TestService,
} from '#tests/support/test-service.ts';

const browser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

let database: TestDatabase;
const pages = makePages();

beforeAll(async () => {
  database = await openTestDatabase('jdbc:sqlite::memory:');
});

afterAll(async () => {
  pages.remove();
  await database.close();
});

async function withService(
  options: Parameters<typeof startService>[1],
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startService(database, options);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

test.each([
  '/',
  '/runs/a',
  '/runs/a%2Fb',
  '/runs/a/',
  '/experiments',
  '/experiments/e',
  '/problems',
  '/problems/p',
  '/compare',
  '/gallery',
])('the renderer has a page at %s', (path) => expect(isKnownPage(path)).toBe(true));

test.each(['/runs', '/runs/a/b', '/run/a', '/coco/a/b', '/compare/a', '/index', '//'])(
  'the renderer has no page at %s',
  (path) => expect(isKnownPage(path)).toBe(path === '//'),
);

describe('the pages', () => {
  test('are index.html for every page of the renderer, with status 404 for any other path', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      for (const path of ['/', '/runs/x?tab=events', '/experiments', '/problems/p']) {
        const response = await fetch(`${service.url}${path}`, browser);
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('no-cache');
        expect(await response.text()).toContain('Evoscope pages');
      }
      const unknownPage = await fetch(`${service.url}/nothing/here`, browser);
      expect(unknownPage.status).toBe(404);
      expect(await unknownPage.text()).toContain('Evoscope pages');
    }));

  test('name their database, its identity and its cursor, but no cursor if reading it is slow', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      const readTiming = async () =>
        (await fetch(`${service.url}/`, browser)).headers.get('server-timing');
      const cursor = await database.dialect.readChangeCursor();
      const openedTiming = `opened;desc="${hashDatabaseUrl(database.location)}"`;
      const identityTiming = `identity;desc="${await database.dialect.readIdentity()}"`;
      // Ends with the number of delayed responses that have changed.
      const stateText = `database;desc="${cursor}-0"`;
      expect(await readTiming()).toBe(`${openedTiming}, ${identityTiming}, ${stateText}`);
      const { promise } = Promise.withResolvers<string>();
      const readCursor = vi.spyOn(database.dialect, 'readChangeCursor').mockReturnValue(promise);
      expect(await readTiming()).toBe(`${openedTiming}, ${identityTiming}`);
      readCursor.mockRestore();
    }));

  test('have a policy that allows only scripts of this origin', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      const { headers } = await fetch(`${service.url}/`, browser);
      const policy = headers.get('content-security-policy') ?? '';
      const directives = new Set(policy.split(';'));
      for (const directive of [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "worker-src 'self'",
        "frame-ancestors 'none'",
      ]) {
        expect(directives).toContain(directive);
      }
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
    }));

  test('let browsers cache files with a hash in their name for a year, and revalidate others', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      const script = await fetch(`${service.url}/assets/main-abc123.js`);
      expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(script.headers.get('content-type')).toContain('javascript');
      const icon = await fetch(`${service.url}/icon.svg`);
      expect(icon.headers.get('cache-control')).toBe('no-cache');
      const etag = icon.headers.get('etag') ?? '';
      const headers = { 'if-none-match': etag };
      const revalidation = await sendRawRequest(service, '/icon.svg', { headers });
      expect(revalidation.status).toBe(304);
    }));

  test('send ranges of their files without compression, and 416 for a range outside of the file', async () => {
    const script = 'x'.repeat(5_000);
    writeFileSync(join(pages.directory, 'assets', 'large-abc123.js'), script);
    await withService({ pagesFolder: pages.directory }, async (service) => {
      const send = (headers: Record<string, string>) =>
        sendRawRequest(service, '/assets/large-abc123.js', {
          headers: { ...headers, 'accept-encoding': 'gzip' },
        });
      const part = await send({ range: 'bytes=0-1999' });
      expect(part).toMatchObject({
        status: 206,
        headers: { 'content-range': 'bytes 0-1999/5000', 'content-length': '2000' },
      });
      expect(part.headers).not.toHaveProperty('content-encoding');
      expect((await send({})).headers['content-encoding']).toBe('gzip');
      const outside = await send({ range: 'bytes=5000-' });
      expect(outside).toMatchObject({
        status: 416,
        headers: { 'content-range': 'bytes */5000' },
      });
      expect(outside.body.toString()).toContain('"code":"RANGE_NOT_SATISFIABLE"');
      const changed = await send({ 'if-match': '"other"' });
      expect(changed.status).toBe(412);
      expect(changed.body.toString()).toContain('"code":"PRECONDITION_FAILED"');
    });
  });

  test('are at the path with a valid percent-encoding for one with an invalid encoding', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      for (const [path, location] of [
        ['/problems/%ZZ', '/problems/%25ZZ'],
        ['/runs/a%20%FF?tab=%', '/runs/a%2520%25FF?tab=%25'],
        ['/runs/a%20b/%', '/runs/a%20b/%25'],
        ['//evil.example/%', '/evil.example/%25'],
      ] as const) {
        const { status, headers } = await sendRawRequest(service, path, browser);
        expect([path, status, headers.location]).toEqual([path, 303, location]);
      }
      const json = { headers: { accept: 'application/json' } };
      expect(await service.getProblem('/runs/%ZZ', json)).toMatchObject({ code: 'NOT_FOUND' });
    }));

  test('are sent again after an update to an index.html with the same size and time', async () => {
    const updatedPages = makePages();
    const index = join(updatedPages.directory, 'index.html');
    const write = (text: string) => {
      writeFileSync(index, text);
      // Some package managers give all files of all versions this time.
      utimesSync(index, new Date('1985-10-26T08:15:00Z'), new Date('1985-10-26T08:15:00Z'));
    };
    await withService({ pagesFolder: updatedPages.directory }, async (service) => {
      const revalidate = (cachedResponse: Response) =>
        sendRawRequest(service, '/', {
          headers: {
            ...browser.headers,
            'if-none-match': cachedResponse.headers.get('etag') ?? '',
            'if-modified-since': cachedResponse.headers.get('last-modified') ?? '',
          },
        });
      write('<script src="/assets/main-1.js"></script>');
      const cachedResponse = await fetch(`${service.url}/`, browser);
      expect((await revalidate(cachedResponse)).status).toBe(304);
      write('<script src="/assets/main-2.js"></script>');
      const { status, body } = await revalidate(cachedResponse);
      expect([status, body.toString()]).toEqual([200, '<script src="/assets/main-2.js"></script>']);
      rmSync(index);
      const missingPage = await fetch(`${service.url}/`, browser);
      expect(missingPage.status).toBe(503);
      expect(await missingPage.text()).toContain('npm run build');
    });
    updatedPages.remove();
  });

  test('are not the response for a missing file or a request that is not for a page', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      expect(await service.getProblem('/assets/gone.js', browser)).toMatchObject({
        status: 404,
        detail: 'There is nothing at /assets/gone.js. Open / for the pages',
      });
      const json = { headers: { accept: 'application/json' } };
      expect(await service.getProblem('/runs/x', json)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await service.getProblem('/runs/x', { method: 'POST' })).toMatchObject({
        code: 'METHOD_NOT_ALLOWED',
      });
    }));

  test('give no access to files outside of their folder', () =>
    withService({ pagesFolder: pages.directory }, async (service) => {
      for (const path of [
        '/../../etc/passwd',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/..%2f..%2fetc/passwd',
      ]) {
        const { body } = await sendRawRequest(service, path);
        expect(body.toString()).not.toContain('root:');
      }
    }));

  test('explain how to build them if they are not built', () =>
    withService({}, async (service) => {
      const response = await fetch(`${service.url}/`, browser);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('npm run build');
    }));
});

describe('with a token', () => {
  const options = { pagesFolder: pages.directory, token: 's3cret' };

  test('the service refuses every call except health without it, and serves pages', () =>
    withService(options, async (service) => {
      expect(await service.getProblem('/api/runs')).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
        detail:
          'The token is missing or invalid. Send it as "Authorization: Bearer …", or open a page with ?token=… in the browser',
      });
      expect(await service.getProblem('/api/nothing')).toMatchObject({ status: 401 });
      expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
      expect((await fetch(`${service.url}/`, browser)).status).toBe(200);
      const headers = { authorization: 'Bearer s3cret' };
      expect((await fetch(`${service.url}/api/runs`, { headers })).status).toBe(200);
    }));

  test('a page sets the cookie only if the request for the page had the token', () =>
    withService(options, async (service) => {
      const plainPage = await fetch(`${service.url}/`, browser);
      expect(plainPage.headers.get('set-cookie')).toBeNull();
      const desktopPage = await fetch(`${service.url}/runs/a`, {
        headers: { ...browser.headers, authorization: 'Bearer s3cret' },
      });
      expect(desktopPage.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Strict');
    }));

  test('a link with the token sets the cookie and redirects to the link without it, and calls with the cookie succeed', () =>
    withService(options, async (service) => {
      const link = await sendRawRequest(service, '/runs/a?tab=events&token=s3cret', browser);
      expect(link.status).toBe(303);
      expect(link.headers.location).toBe('/runs/a?tab=events');
      const [cookie = ''] = link.headers['set-cookie'] ?? [];
      const headers = { cookie: cookie.split(';')[0] ?? '' };
      expect((await fetch(`${service.url}/api/runs`, { headers })).status).toBe(200);
    }));

  test('a link never redirects to another host, and a wrong token is reported', () =>
    withService(options, async (service) => {
      const link = await sendRawRequest(service, '//evil.example/?token=s3cret', browser);
      expect(link.headers.location ?? '/').toMatch(/^\/(?!\/)/);
      expect(await service.getProblem('/?token=other', browser)).toMatchObject({
        code: 'UNAUTHORIZED',
        detail:
          'The token in the link is invalid. Open the link with the token of this service (SVC_TOKEN)',
      });
    }));
});
