import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { DesktopRecent, OpenedPlace } from '#shared/desktop.ts';

/** Most databases that are remembered. */
const mostRecent = 10;

const text = z.string().min(1).max(4_096);

const postgresPlace = z.object({
  host: text,
  port: z.int().min(1).max(65_535),
  database: text,
  user: text.optional(),
  sslmode: text,
  schema: text.optional(),
});

/** Where a database is, as it is remembered: without a password. */
export const place = z.union([
  z.object({ file: text.refine(isAbsolute) }),
  z.object({
    postgres: postgresPlace.extend({
      /** Whether one was needed when it was opened last. */
      hasPassword: z.boolean().default(false),
    }),
  }),
]);
export type Place = z.infer<typeof place>;

export const recentPlaces = z.array(place).max(mostRecent);

/** The place of what was opened; null for a file without its absolute path, or nothing. */
export function placeOf({ file, postgres }: OpenedPlace): Place | null {
  if (file !== undefined) return isAbsolute(file) ? { file } : null;
  if (postgres === undefined) return null;
  const { password = '', ...server } = postgres;
  return { postgres: { ...server, hasPassword: password !== '' } };
}

/** The path of the file, or user, server, database and schema: the same for what is the same database. */
export function placeId(one: Place): string {
  if ('file' in one) return one.file;
  const { schema } = one.postgres;
  return schema === undefined ? serverPlace(one) : `${serverPlace(one)} (${schema})`;
}

/** How a remembered database is shown. */
export function describePlace(one: Place): DesktopRecent {
  const id = placeId(one);
  if ('file' in one) {
    return { id, name: one.file.split(/[\\/]/).at(-1) ?? one.file, place: one.file };
  }
  return { id, name: one.postgres.database, place: id };
}

function serverPlace({ postgres }: Extract<Place, { postgres: unknown }>): string {
  const { host, port, database, user } = postgres;
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  return user === undefined ? server : `${user}@${server}`;
}

/** The list with this place first, once, and as many others as are remembered. */
export function withRecent(recent: readonly Place[], newest: Place): Place[] {
  return [newest, ...withoutRecent(recent, placeId(newest))].slice(0, mostRecent);
}

/** The list without the place of this id. */
export function withoutRecent(recent: readonly Place[], id: string): Place[] {
  return recent.filter((one) => placeId(one) !== id);
}

/**
 * The place as the service's `SVC_DB_URL`: the path of a file as it is, so that nothing in it is taken for a parameter; for
 * a server without its user and password.
 */
export function urlOfPlace(one: Place): string {
  if ('file' in one) return one.file;
  const { host, port, database, sslmode, schema } = one.postgres;
  const parameters = new URLSearchParams({ host, port: String(port), sslmode });
  if (schema !== undefined) parameters.set('currentSchema', schema);
  return `jdbc:postgresql:///${encodeURIComponent(database)}?${parameters.toString()}`;
}
