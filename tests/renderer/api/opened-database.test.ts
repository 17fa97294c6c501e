import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const assigned: string[] = [];

beforeEach(() => {
  vi.resetModules();
  assigned.length = 0;
  vi.stubGlobal('location', { assign: (address: string) => assigned.push(address) });
});
afterEach(() => vi.unstubAllGlobals());

test('the first response decides which database a page shows, and a response of another database leaves the page, once', async () => {
  const {
    makeDatabaseHeaders: databaseHeaders,
    isOfShownDatabase,
    isWithoutDatabase,
  } = await import('#renderer/api/opened-database.ts');
  expect(databaseHeaders()).toEqual({});
  expect(isOfShownDatabase(null)).toBe(true);
  expect(isOfShownDatabase('one')).toBe(true);
  expect(databaseHeaders()).toEqual({ 'X-Evoscope-Database': 'one' });
  expect(isWithoutDatabase()).toBe(false);
  expect(isOfShownDatabase('one')).toBe(true);
  expect(assigned).toEqual([]);
  expect(isOfShownDatabase('other')).toBe(false);
  expect(isOfShownDatabase('other')).toBe(false);
  expect(assigned).toEqual(['/']);
  expect(databaseHeaders()).toEqual({ 'X-Evoscope-Database': 'one' });
});

test('work that has started ends before the page is left', async () => {
  const { runBeforeLeaving: beforeLeaving, isOfShownDatabase } =
    await import('#renderer/api/opened-database.ts');
  isOfShownDatabase('one');
  const { promise, resolve } = Promise.withResolvers<string>();
  const done = beforeLeaving(() => promise);
  expect(isOfShownDatabase('other')).toBe(false);
  expect(assigned).toEqual([]);
  resolve('remembered');
  expect(await done).toBe('remembered');
  expect(assigned).toEqual(['/']);
});

test('a call never settles if its response comes from another database', async () => {
  const { call } = await import('#renderer/api/client.ts');
  const answer = (id: string) => () =>
    Promise.resolve(Response.json({ items: [id] }, { headers: { 'X-Evoscope-Database': id } }));
  vi.stubGlobal('fetch', answer('one'));
  expect(await call('listRuns')).toEqual({ items: ['one'] });
  vi.stubGlobal('fetch', answer('other'));
  const settled = vi.fn();
  void call('listRuns').then(settled, settled);
  await expect.poll(() => assigned).toEqual(['/']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).not.toHaveBeenCalled();
});
