import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { DesktopRecent, OpenedPlace } from '#shared/desktop.ts';

/** Maximum number of recent databases. */
const maximumRecent = 10;

const text = z.string().min(1).max(4_096);

const postgresPlace = z.object({
  host: text,
  port: z.int().min(1).max(65_535),
  database: text,
  user: text.optional(),
  sslmode: text,
  schema: text.optional(),
});

/** The location of a database, without a password. */
export const place = z.union([
  z.object({ file: text.refine(isAbsolute) }),
  z.object({
    postgres: postgresPlace.extend({
      /** Whether the last connection used a password. */
      hasPassword: z.boolean().default(false),
    }),
  }),
]);
export type Place = z.infer<typeof place>;

export const recentPlaces = z.array(place).max(maximumRecent);

/** Returns the location of an opened database; null for a file without an absolute path, or for none. */
export function getPlace({ file, postgres }: OpenedPlace): Place | null {
  if (file !== undefined) return isAbsolute(file) ? { file } : null;
  if (postgres === undefined) return null;
  const { password = '', ...server } = postgres;
  return { postgres: { ...server, hasPassword: password !== '' } };
}

/** Returns the path of the file, or user, server, database and schema. Equal ids mean the same database. */
export function getPlaceId(one: Place): string {
  if ('file' in one) return one.file;
  const { schema } = one.postgres;
  return schema === undefined ? formatServerPlace(one) : `${formatServerPlace(one)} (${schema})`;
}

/** Returns a recent database for the menus and pages. */
export function describePlace(one: Place): DesktopRecent {
  const id = getPlaceId(one);
  if ('file' in one) {
    return { id, name: one.file.split(/[\\/]/).at(-1) ?? one.file, place: one.file };
  }
  return { id, name: one.postgres.database, place: id };
}

function formatServerPlace({ postgres }: Extract<Place, { postgres: unknown }>): string {
  const { host, port, database, user } = postgres;
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  return user === undefined ? server : `${user}@${server}`;
}

/** Returns the list with this database first and without duplicates, truncated to the maximum. */
export function addRecentPlace(recent: readonly Place[], newest: Place): Place[] {
  return [newest, ...removeRecentPlace(recent, getPlaceId(newest))].slice(0, maximumRecent);
}

/** Returns the list without the database of this id. */
export function removeRecentPlace(recent: readonly Place[], id: string): Place[] {
  return recent.filter((one) => getPlaceId(one) !== id);
}

/**
 * Returns the location as `SVC_DB_URL`: the plain path of a file, so no part of it counts as a parameter, or the
 * URL of a server without user and password.
 */
export function formatPlaceUrl(one: Place): string {
  if ('file' in one) return one.file;
  const { host, port, database, sslmode, schema } = one.postgres;
  const parameters = new URLSearchParams({ host, port: String(port), sslmode });
  if (schema !== undefined) parameters.set('currentSchema', schema);
  return `jdbc:postgresql:///${encodeURIComponent(database)}?${parameters.toString()}`;
}
