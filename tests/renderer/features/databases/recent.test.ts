import { expect, test } from 'vitest';
import { excludeOpen } from '#renderer/features/databases/recent.ts';

const file = { id: 'a', name: 'runs.db', location: '/data/runs.db' };
const server = { id: 'b', name: 'runs', location: 'ana@db.example:5432/runs', isOpen: false };
const getIds = (location?: string) => excludeOpen([file, server], location).map(({ id }) => id);

test('the database that is open is no recent one, whether the window opened it or flags named it', () => {
  expect(getIds()).toEqual(['a', 'b']);
  expect(getIds('/data/runs.db')).toEqual(['b']);
  // Of a server the service says no user, so only the window can tell that it is the same.
  expect(getIds('db.example:5432/runs')).toEqual(['a', 'b']);
  expect(excludeOpen([file, { ...server, isOpen: true }], 'db.example:5432/runs')).toEqual([file]);
});
