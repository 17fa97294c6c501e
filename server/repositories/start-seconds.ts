import { sql, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { rowsBefore, type Page } from './list.ts';
import { keyOfTime } from './order.ts';

interface Started {
  startTime: string;
}

/** Returns the second of a stored time: `2026-11-21T10:32:16`. */
function secondOf({ startTime }: Started): string {
  return startTime.slice(0, 19);
}

/** Returns the first and last second of a page, whose rows may continue on the page before or after it. */
export function edgeSeconds(rows: readonly Started[], part: Page): string[] {
  const [first, last] = [rows[0], rows.at(-1)];
  const edges = [
    rowsBefore(part) > 0 ? first : undefined,
    rows.length === part.size ? last : undefined,
  ];
  return [...new Set(edges.flatMap((row) => (row?.startTime ? [secondOf(row)] : [])))];
}

/** Returns whether one of these seconds has starts with a fraction and starts without. */
export async function hasMixedSecond(
  { kysely, dialect }: Database,
  seconds: readonly string[],
): Promise<boolean> {
  if (seconds.length === 0) return false;
  const start = dialect.byCodePoint(sql.ref<string>('start_time'));
  const mixed = seconds.map(
    (second) => sql<SqlBool>`(exists (select 1 from runs where ${start} = ${`${second}Z`})
      and exists (select 1 from runs where ${start} >= ${`${second}.`} and ${start} < ${`${second}/`}))`,
  );
  const row = await kysely
    .selectNoFrom(sql<SqlBool>`(${sql.join(mixed, sql` or `)})`.as('is_mixed'))
    .executeTakeFirst();
  return Boolean(row?.is_mixed);
}

/** Returns the rows with those of the same second, which are adjacent, sorted by instant. */
export function orderInsideSeconds<Row extends Started>(
  rows: readonly Row[],
  direction: 'asc' | 'desc',
): Row[] {
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (one: Row, other: Row) => {
    const [a, b] = [keyOfTime(one.startTime), keyOfTime(other.startTime)];
    return a === b ? 0 : a < b ? -sign : sign;
  };
  return [...Map.groupBy(rows, secondOf).values()].flatMap((ofSecond) =>
    ofSecond.toSorted(compare),
  );
}
