import { expect, test } from 'vitest';
import { handlers } from '#server/handlers.ts';
import { databaseEndpoints } from '#shared/endpoints/databases.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';

const all = Object.entries<Endpoint>(endpoints)
  .filter(([name]) => !(name in importEndpoints || name in databaseEndpoints))
  .map(([name, { method }]) => ({
    name,
    method,
    thread: handlers[name as keyof typeof handlers].thread,
  }));

test('Only health, which asks for one row, is answered by the thread that watches', () => {
  expect(all.filter(({ thread }) => thread === 'watcher').map(({ name }) => name)).toEqual([
    'getHealth',
  ]);
});

test('What changes the database runs in the one thread that writes, and nothing else does', () => {
  const writing = all.filter(({ method }) => method !== 'get');
  expect(all.filter(({ thread }) => thread === 'writer')).toEqual(writing);
});
