import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { JavaNumber, type JavaObject } from '#server/recording/java-json.ts';

const fixture = new URL('../fixtures/runner-sample.db.gz', import.meta.url);

/** A row of the sample; longs beyond 2^53 arrive rounded. */
export type Row = Record<string, string | number | null>;

const sample = new SqliteDatabase(gunzipSync(readFileSync(fixture)));

/** Rows that the runner itself wrote. */
export function runnerRows(sql: string, ...parameters: string[]): Row[] {
  return sample.prepare<string[], Row>(sql).all(...parameters);
}

/** JSON of the runner with nothing lost: an int as a number, a long as a bigint, a double as its text. */
export function parseJavaJson(text: unknown): JavaObject {
  return JSON.parse(String(text), (_, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    const source = context?.source ?? '';
    if (/[.eE]/.test(source)) return new JavaNumber(source);
    return Number.isSafeInteger(value) ? value : BigInt(source);
  }) as JavaObject;
}

/** Paths at which two values of the runner's JSON differ in kind; array elements count as one kind. */
export function differencesOfShape(own: unknown, real: unknown, path = '$'): string[] {
  if (getKind(own) !== getKind(real))
    return [`${path}: ${getKind(own)} instead of ${getKind(real)}`];
  if (Array.isArray(own) && Array.isArray(real)) {
    if (own.length === 0 || real.length === 0) return [];
    return differencesOfShape(own[0], real[0], `${path}[]`);
  }
  if (getKind(own) !== 'object') return [];
  const [mine, theirs] = [members(own), members(real)];
  const [myKeys, theirKeys] = [Object.keys(mine).join(), Object.keys(theirs).join()];
  if (myKeys !== theirKeys) return [`${path}: keys ${myKeys} instead of ${theirKeys}`];
  return Object.keys(mine).flatMap((key) =>
    differencesOfShape(mine[key], theirs[key], `${path}.${key}`),
  );
}

/** Members of an object; those of a map from edges to frequencies count as one. */
function members(value: unknown): Record<string, unknown> {
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, item]) => [/^\d+->\d+$/.test(key) ? 'edge' : key, item]),
  );
}

function getKind(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof JavaNumber) return 'double';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' || typeof value === 'bigint' ? 'integer' : typeof value;
}
