import { sql, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { byteLength, int8 } from '#server/db/expressions.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { countOf, pageOf } from './list.ts';
import { instantKey } from './order.ts';
import { count, requiredInteger, nullableText, rowOf, text, textOf } from './row.ts';

/** Which events of a run a list holds. */
export interface EventsFilter {
  runId: string;
  eventType?: string | undefined;
  /** Text that the payload must contain. */
  q?: string | undefined;
  /** Events that do not match, whatever their payload says. */
  exceptIds?: readonly StoredInteger[];
  /** Words of which none may be in the payload. */
  exceptWords?: readonly string[];
}

/**
 * An event as it is stored; `payload` is cut where the list was asked to cut it, `payloadBytes` is the size of the
 * whole one in UTF-8.
 */
export type StoredEvent = ReturnType<ReturnType<typeof eventRow>['read']>;

/** How much of a payload is read: `characters` of one that is longer than `wholeBytes`, all of others. */
export interface PayloadCut {
  characters: number;
  wholeBytes: number;
}

/** One page of the events that match, newest first. Without a cut the payloads are whole. */
export async function listEvents(
  database: Database,
  filter: EventsFilter,
  selection: { page: number; size: number },
  cut?: PayloadCut,
): Promise<StoredEvent[]> {
  const { columns, read } = eventRow(cut);
  const created = instantKey(sql.ref<string>('v.created_at'));
  const newestFirst = { ...selection, sortDir: 'desc' } as const;
  const rows = await pageOf(
    matching(database, filter).select(columns),
    [database.dialect.byCodePoint(created)],
    sql.ref('v.id'),
    newestFirst,
  ).execute();
  return rows.map(read);
}

/** How many events match. */
export async function countEvents(database: Database, filter: EventsFilter): Promise<number> {
  return countOf(matching(database, filter));
}

/**
 * At most `limit` events with an id above `afterId`, by id, whose payload contains the text and one of the
 * words: those of which only the payload itself can tell whether the text is a secret.
 */
export async function listEventsWithWords(
  database: Database,
  filter: EventsFilter,
  words: readonly string[],
  batch: { afterId: StoredInteger; limit: number },
): Promise<StoredEvent[]> {
  const { dialect } = database;
  const payload = sql.ref<string>('v.payload_json');
  const { columns, read } = eventRow();
  const rows = await matching(database, filter)
    .select(columns)
    .where((eb) => eb.or(words.map((word) => dialect.containsText(payload, word))))
    .where('v.id', '>', int8(batch.afterId))
    .orderBy('v.id')
    .limit(batch.limit)
    .execute();
  return rows.map(read);
}

/** The event of a run with this id, or null. The id is a decimal 64-bit integer. */
export async function findEvent(
  { kysely }: Database,
  runId: string,
  id: string,
): Promise<StoredEvent | null> {
  const { columns, read } = eventRow();
  const row = await kysely
    .selectFrom('events as v')
    .select(columns)
    .where('v.id', '=', int8(id))
    .where('v.run_id', '=', runId)
    .executeTakeFirst();
  return row ? read(row) : null;
}

/** The kinds of events that a run has, by code point, with how many of each. */
export async function listEventTypes(
  { kysely, dialect }: Database,
  runId: string,
): Promise<{ eventType: string; count: number }[]> {
  const rows = await kysely
    .selectFrom('events')
    .select((eb) => ['event_type', eb.fn.countAll<number>().as('count')])
    .where('run_id', '=', runId)
    .groupBy('event_type')
    .orderBy(dialect.byCodePoint(sql.ref<string>('event_type')))
    .execute();
  return rows.map((row) => ({ eventType: textOf(row.event_type), count: row.count }));
}

function matching({ kysely, dialect }: Database, filter: EventsFilter) {
  const { runId, eventType, q, exceptIds = [], exceptWords = [] } = filter;
  const payload = sql.ref<string>('v.payload_json');
  let query = kysely.selectFrom('events as v').where('v.run_id', '=', runId);
  if (eventType !== undefined) {
    query = query.where(dialect.equalsText(sql.ref<string>('v.event_type'), eventType));
  }
  if (q !== undefined) query = query.where(dialect.containsText(payload, q));
  if (exceptIds.length > 0) {
    query = query.where(sql<SqlBool>`v.id not in (${sql.join(exceptIds.map(int8))})`);
  }
  for (const word of exceptWords) {
    query = query.where((eb) => eb.not(dialect.containsText(payload, word)));
  }
  return query;
}

/** Events `v` as {@link StoredEvent}s, their payloads cut. */
function eventRow(cut?: PayloadCut) {
  const payload = sql.ref<string>('v.payload_json');
  const size = byteLength(payload);
  const shown = cut
    ? sql<string>`case when ${size} <= ${cut.wholeBytes} then ${payload} else substr(${payload}, 1, ${cut.characters}) end`
    : payload;
  return rowOf({
    id: requiredInteger('v.id'),
    runId: nullableText('v.run_id'),
    eventType: text('v.event_type'),
    createdAt: text('v.created_at'),
    payload: text(shown),
    payloadBytes: count(size),
  });
}
