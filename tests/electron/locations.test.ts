import { expect, test } from 'vitest';
import {
  describeLocation,
  getLocationId,
  getLocation,
  formatLocationUrl,
  removeRecentLocation,
  addRecentLocation,
  type DatabaseLocation,
} from '#electron/locations.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';

const server = { host: 'db.lab', port: 5432, database: 'runs', sslmode: 'require' };
const file = (path: string): DatabaseLocation => ({ file: path });
const postgres = (part: object = {}): DatabaseLocation => ({
  postgres: { ...server, hasPassword: false, ...part },
});

test('getLocation returns an opened database without its password', () => {
  expect(getLocation({ file: '/data/runs.db' })).toEqual(file('/data/runs.db'));
  const openedServer = { ...server, user: 'me', password: 's3cret', schema: 'evo' };
  expect(getLocation({ postgres: openedServer })).toEqual(
    postgres({ user: 'me', schema: 'evo', hasPassword: true }),
  );
  expect(getLocation({ postgres: { ...server, password: '' } })).toEqual(postgres());
});

test.each([[{}], [{ file: 'runs.db' }]])('getLocation is null for %j', (openedLocation) => {
  expect(getLocation(openedLocation)).toBeNull();
});

test.each([
  [file('/data/my runs.db'), 'my runs.db', '/data/my runs.db'],
  [file('C:\\data\\runs.db'), 'runs.db', 'C:\\data\\runs.db'],
  [postgres(), 'runs', 'db.lab:5432/runs'],
  [postgres({ user: 'me' }), 'runs', 'me@db.lab:5432/runs'],
  [postgres({ host: '::1', schema: 'evo' }), 'runs', '[::1]:5432/runs (evo)'],
])(
  'describeLocation of %j returns the name %s and the location %s',
  (location, name, expectedText) => {
    expect(describeLocation(location)).toEqual({ id: expectedText, name, location: expectedText });
  },
);

test('addRecentLocation puts the newest database first without duplicates, and retains ten', () => {
  const tenLocations = Array.from({ length: 10 }, (_, index) => file(`/data/${index}.db`));
  const locations = addRecentLocation(tenLocations, file('/data/3.db'));
  expect(locations.map(getLocationId).slice(0, 5)).toEqual(
    [3, 0, 1, 2, 4].map((index) => `/data/${index}.db`),
  );
  expect(locations).toHaveLength(10);
  expect(addRecentLocation(tenLocations, postgres())).toEqual([
    postgres(),
    ...tenLocations.slice(0, 9),
  ]);
  // The need for a password may change: it is the same database.
  expect(addRecentLocation([postgres()], postgres({ hasPassword: true }))).toHaveLength(1);
  expect(removeRecentLocation(tenLocations, '/data/0.db')).toEqual(tenLocations.slice(1));
});

test.each([['/data/50% of runs?.db'], ['/data/a#b&c=d.db']])(
  'the service reads %s as the same file',
  (path) => {
    const url = parseDatabaseUrl(formatLocationUrl(file(path)), { workingDirectory: '/' });
    expect(url).toMatchObject({ dialect: 'sqlite', file: path });
  },
);

test('the service reads a server as the same server, without credentials', () => {
  const location = postgres({ host: '::1', database: 'r&d/50%', user: 'me', schema: 'evo,public' });
  expect(formatLocationUrl(location)).not.toContain('me');
  const url = parseDatabaseUrl(formatLocationUrl(location), { workingDirectory: '/' });
  expect(url).toMatchObject({
    dialect: 'postgres',
    host: '::1',
    port: 5432,
    database: 'r&d/50%',
    sslMode: 'require',
    schemas: ['evo', 'public'],
    user: undefined,
    password: undefined,
  });
});
