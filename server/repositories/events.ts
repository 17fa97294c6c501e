import { sql, type SqlBool } from 'kysely';
import { byteLength, int8, nullsLast } from '#server/db/expressions.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { pageOffset, textOf } from './expressions.ts';
import { instantKey } from './order.ts';
import type { Database } from '#server/db/database.ts';

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

/** An event as it is stored; `payload` is cut where the list was asked to cut it. */
export interface StoredEvent {
  id: StoredInteger;
  runId: string | null;
  eventType: string;
  payload: string;
  /** Bytes of the whole payload in UTF-8. */
  payloadBytes: number;
  createdAt: string;
}

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
  const { dialect } = database;
  const rows = await matching(database, filter)
    .select(eventColumns(cut))
    .orderBy(dialect.byCodePoint(instantKey(sql.ref<string>('created_at'))), nullsLast('desc'))
    .orderBy('id', 'desc')
    .limit(selection.size)
    .offset(pageOffset(selection.page, selection.size))
    .execute();
  return rows.map(toEvent);
}

/** How many events match. */
export async function countEvents(database: Database, filter: EventsFilter): Promise<number> {
  const row = await matching(database, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirst();
  return row?.total ?? 0;
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
  const payload = sql.ref<string>('payload_json');
  const rows = await matching(database, filter)
    .select(eventColumns())
    .where((eb) => eb.or(words.map((word) => dialect.containsText(payload, word))))
    .where('id', '>', int8(batch.afterId))
    .orderBy('id')
    .limit(batch.limit)
    .execute();
  return rows.map(toEvent);
}

/** The event of a run with this id, or null. The id is a decimal 64-bit integer. */
export async function findEvent(
  { kysely }: Database,
  runId: string,
  id: string,
): Promise<StoredEvent | null> {
  const row = await kysely
    .selectFrom('events')
    .select(eventColumns())
    .where('id', '=', int8(id))
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ? toEvent(row) : null;
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
  const payload = sql.ref<string>('payload_json');
  let query = kysely.selectFrom('events').where('run_id', '=', runId);
  if (eventType !== undefined) {
    query = query.where(dialect.equalsText(sql.ref<string>('event_type'), eventType));
  }
  if (q !== undefined) query = query.where(dialect.containsText(payload, q));
  if (exceptIds.length > 0) {
    query = query.where(sql<SqlBool>`id not in (${sql.join(exceptIds.map(int8))})`);
  }
  for (const word of exceptWords) {
    query = query.where((eb) => eb.not(dialect.containsText(payload, word)));
  }
  return query;
}

function eventColumns(cut?: PayloadCut) {
  const payload = sql.ref<string>('payload_json');
  const size = byteLength(payload);
  const shown = cut
    ? sql<string>`case when ${size} <= ${cut.wholeBytes} then ${payload} else substr(${payload}, 1, ${cut.characters}) end`
    : payload;
  return [
    'id',
    'run_id',
    'event_type',
    'created_at',
    shown.as('payload'),
    size.as('payload_bytes'),
  ] as const;
}

function toEvent(row: {
  id: StoredInteger;
  run_id: string | null;
  event_type: string;
  created_at: string;
  payload: string | null;
  payload_bytes: number | null;
}): StoredEvent {
  return {
    id: row.id,
    runId: row.run_id,
    eventType: textOf(row.event_type),
    payload: textOf(row.payload),
    payloadBytes: row.payload_bytes ?? 0,
    createdAt: textOf(row.created_at),
  };
}
