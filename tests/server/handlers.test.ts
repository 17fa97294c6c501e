import { expect, test } from 'vitest';
import { handlers } from '#server/handlers.ts';
import { databaseEndpoints } from '#shared/endpoints/databases.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';

const allHandlers = Object.entries<Endpoint>(endpoints)
  .filter(([name]) => !(name in importEndpoints || name in databaseEndpoints))
  .map(([name, { method }]) => ({
    name,
    method,
    thread: handlers[name as keyof typeof handlers].thread,
  }));

test('Only health, which reads one row, runs in the watcher', () => {
  expect(allHandlers.filter(({ thread }) => thread === 'watcher').map(({ name }) => name)).toEqual([
    'getHealth',
  ]);
});

test('All handlers that change the database, and no others, run in the writer', () => {
  const writeHandlers = allHandlers.filter(({ method }) => method !== 'get');
  expect(allHandlers.filter(({ thread }) => thread === 'writer')).toEqual(writeHandlers);
});
