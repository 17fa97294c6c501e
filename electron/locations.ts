import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { RecentEntry, OpenedLocation } from '#shared/desktop.ts';

/** Maximum number of recent databases. */
const maximumRecentLocations = 10;

const text = z.string().min(1).max(4_096);

const postgresLocation = z.object({
  host: text,
  port: z.int().min(1).max(65_535),
  database: text,
  user: text.optional(),
  sslmode: text,
  schema: text.optional(),
});

/** The location of a database, without a password. */
export const databaseLocation = z.union([
  z.object({ file: text.refine(isAbsolute) }),
  z.object({
    postgres: postgresLocation.extend({
      /** Whether the last connection used a password. */
      hasPassword: z.boolean().default(false),
    }),
  }),
]);
export type DatabaseLocation = z.infer<typeof databaseLocation>;

/** The recent databases in the settings, newest first. */
export const recentLocations = z.array(databaseLocation).max(maximumRecentLocations);

/** Returns the location of an opened database; null for a relative path, and without a file and a server. */
export function getLocation({ file, postgres }: OpenedLocation): DatabaseLocation | null {
  if (file !== undefined) return isAbsolute(file) ? { file } : null;
  if (postgres === undefined) return null;
  const { password = '', ...server } = postgres;
  return { postgres: { ...server, hasPassword: password !== '' } };
}

/** Returns the path of the file, or a text of user, server, database and schema. Equal ids mean the same database. */
export function getLocationId(location: DatabaseLocation): string {
  if ('file' in location) return location.file;
  const { schema } = location.postgres;
  return schema === undefined ? formatServer(location) : `${formatServer(location)} (${schema})`;
}

/**
 * Returns the entry of a recent database for menus and pages. `name` is the name of the file or PostgreSQL database.
 */
export function describeLocation(location: DatabaseLocation): RecentEntry {
  const id = getLocationId(location);
  if ('file' in location) {
    return {
      id,
      name: location.file.split(/[\\/]/).at(-1) ?? location.file,
      location: location.file,
    };
  }
  return { id, name: location.postgres.database, location: id };
}

function formatServer({ postgres }: Extract<DatabaseLocation, { postgres: unknown }>): string {
  const { host, port, database, user } = postgres;
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  return user === undefined ? server : `${user}@${server}`;
}

/**
 * Returns the list with this database first and without its previous entry. Omits the oldest databases above {@link
 * maximumRecentLocations}.
 */
export function addRecentLocation(
  locations: readonly DatabaseLocation[],
  newestLocation: DatabaseLocation,
): DatabaseLocation[] {
  return [newestLocation, ...removeRecentLocation(locations, getLocationId(newestLocation))].slice(
    0,
    maximumRecentLocations,
  );
}

/** Returns the list, in its order, without the database with this id; the whole list if no database has the id. */
export function removeRecentLocation(
  locations: readonly DatabaseLocation[],
  id: string,
): DatabaseLocation[] {
  return locations.filter((location) => getLocationId(location) !== id);
}

/**
 * Returns the location as a value of `SVC_DB_URL`. For a file, returns the plain path, because the service reads no
 * part of a path as a parameter. For a server, returns its URL without user and password.
 */
export function formatLocationUrl(location: DatabaseLocation): string {
  if ('file' in location) return location.file;
  const { host, port, database, sslmode, schema } = location.postgres;
  const parameters = new URLSearchParams({ host, port: String(port), sslmode });
  if (schema !== undefined) parameters.set('currentSchema', schema);
  return `jdbc:postgresql:///${encodeURIComponent(database)}?${parameters.toString()}`;
}
