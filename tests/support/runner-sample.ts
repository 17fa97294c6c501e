import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { JavaNumber, type JavaObject } from '#server/recording/recorder.ts';

const fixture = new URL('../fixtures/runner-sample.db.gz', import.meta.url);

/** A row of the sample. Integers beyond 2^53 are rounded. */
export type Row = Record<string, string | number | null>;

const sample = new SqliteDatabase(gunzipSync(readFileSync(fixture)));

/** Reads rows that the runner wrote. */
export function readRunnerRows(sql: string, ...parameters: string[]): Row[] {
  return sample.prepare<string[], Row>(sql).all(...parameters);
}

/** Parses JSON of the runner without loss: an int as a number, a long as a bigint, a double as its text. */
export function parseJavaJson(text: unknown): JavaObject {
  return JSON.parse(String(text), (_, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    const source = context?.source ?? '';
    if (/[.eE]/.test(source)) return new JavaNumber(source);
    return Number.isSafeInteger(value) ? value : BigInt(source);
  }) as JavaObject;
}

/** Returns the paths at which two values differ in kind. Compares only the first elements of arrays. */
export function findShapeDifferences(actual: unknown, expected: unknown, path = '$'): string[] {
  if (getKind(actual) !== getKind(expected))
    return [`${path}: ${getKind(actual)} instead of ${getKind(expected)}`];
  if (Array.isArray(actual) && Array.isArray(expected)) {
    if (actual.length === 0 || expected.length === 0) return [];
    return findShapeDifferences(actual[0], expected[0], `${path}[]`);
  }
  if (getKind(actual) !== 'object') return [];
  const [actualMembers, expectedMembers] = [getMembers(actual), getMembers(expected)];
  const [actualKeys, expectedKeys] = [
    Object.keys(actualMembers).join(),
    Object.keys(expectedMembers).join(),
  ];
  if (actualKeys !== expectedKeys)
    return [`${path}: keys ${actualKeys} instead of ${expectedKeys}`];
  return Object.keys(actualMembers).flatMap((key) =>
    findShapeDifferences(actualMembers[key], expectedMembers[key], `${path}.${key}`),
  );
}

/** Returns the members of an object. Those of a map from edges to frequencies count as one. */
function getMembers(value: unknown): Record<string, unknown> {
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
