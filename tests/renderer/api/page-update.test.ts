import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkForUpdate, isPageOutdated, reloadForScripts } from '#renderer/api/page-update.ts';

const makePage = (script: string) =>
  `<head><script src="/first.js"></script><script type="module" crossorigin src="${script}"></script></head>`;

let ownScript = '/assets/index-1.js';
const reload = vi.fn<() => void>();

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => ownScript }) });
  vi.stubGlobal('location', { reload, pathname: '/' });
});
afterEach(() => {
  ownScript = '/assets/index-1.js';
  reload.mockClear();
  vi.unstubAllGlobals();
});

describe('a page', () => {
  const respond = (text: string, status = 200) =>
    vi.stubGlobal('fetch', async () => new Response(text, { status }));

  test('is outdated while the service has another first script', async () => {
    respond(makePage('/assets/index-2.js'));
    await checkForUpdate();
    expect(isPageOutdated()).toBe(true);
    respond(makePage('/assets/index-1.js'));
    await checkForUpdate();
    expect(isPageOutdated()).toBe(false);
  });

  test.each([
    ['the page of a proxy', '<h1>Welcome</h1>', 200],
    ['an error', makePage('/assets/index-2.js'), 503],
  ])('is not outdated because of %s', async (_name, text, status) => {
    respond(text, status);
    await checkForUpdate();
    expect(isPageOutdated()).toBe(false);
  });

  test('reloads for the scripts of each build, but only once for the same build', () => {
    expect(reloadForScripts()).toBe(true);
    expect(reloadForScripts()).toBe(false);
    ownScript = '/assets/index-2.js';
    expect(reloadForScripts()).toBe(true);
    expect(reload).toHaveBeenCalledTimes(2);
  });
});
