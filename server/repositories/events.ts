import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import {
  selectByteLength,
  castInt8,
  orderNullsLast,
  selectReadableText,
  selectTextPrefix,
} from '#server/db/queries.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import {
  containsAny,
  countRows,
  sortByIds,
  sortRows,
  type ListId,
  type PageRequest,
} from './list.ts';
import { selectTimeKey } from './order.ts';
import {
  selectCount,
  selectRequiredInteger,
  selectNullableText,
  makeRow,
  selectText,
  readText,
} from './row.ts';

/** Type of the event that reports that a user settled a run. */
export const settledType = 'run_settled';

const payloadColumn = sql.ref<string>('v.payload_json');
const searchedText = selectReadableText(payloadColumn);

/** Filter of the events of a run. `eventType` ignores case. An undefined field does not restrict the events. */
export interface EventsFilter {
  runId: string;
  eventType?: string | undefined;
  search?: EventsSearch | undefined;
}

/** A text that payloads must contain, and the ids of events with secrets. */
export interface EventsSearch {
  q: string;
  /** Ids of events that the database does not search. Of these events, only those in `matchingIds` match. */
  hiddenIds: StoredInteger[];
  matchingIds: StoredInteger[];
  /** Events with an id above `afterId` do not match if their payload contains one of the substrings. */
  unreadEvents?: { afterId: StoredInteger; substrings: readonly string[] };
}

/**
 * A stored event. A {@link PayloadTruncation} limits `payload`; `payloadBytes` is the size of the whole
 * payload in bytes, in the encoding of the database.
 */
export type StoredEvent = ReturnType<ReturnType<typeof selectEventRow>['read']>;

/**
 * Limits of reading a payload. A query reads a payload of at most `wholeBytes` bytes as a whole, and only the first
 * `characters` characters of a longer payload.
 */
export interface PayloadTruncation {
  characters: number;
  wholeBytes: number;
}

/** Returns the ids of the matching events, or of one page of them, newest first, then highest id first. */
export async function listEventIds(
  database: Database,
  filter: EventsFilter,
  pageRequest: PageRequest | undefined,
): Promise<ListId[]> {
  const createdKey = selectTimeKey(sql.ref<string>('v.created_at'));
  const rows = await sortRows(
    selectMatchingEvents(database, filter).select('v.id'),
    [database.dialect.orderByCodePoint(createdKey)],
    sql.ref('v.id'),
    { sortDir: 'desc', pageRequest },
  ).execute();
  return rows.map(({ id }) => id);
}

/** Returns the events with these ids in this order. Omits deleted events. */
export async function listEvents(
  { kysely }: Database,
  ids: readonly ListId[],
  truncation: PayloadTruncation,
): Promise<StoredEvent[]> {
  if (ids.length === 0) return [];
  const { columns, read } = selectEventRow(truncation);
  const rows = await kysely.selectFrom('events as v').select(columns).where(isOneOf(ids)).execute();
  return sortByIds(ids, rows.map(read), ({ id }) => id);
}

/** Returns the number of matching events. */
export async function countEvents(database: Database, filter: EventsFilter): Promise<number> {
  return countRows(selectMatchingEvents(database, filter));
}

/**
 * Returns the ids of the first `limit` matching events, by id, whose payload contains one of the substrings, ignoring
 * case. Also returns the sizes of these payloads in bytes. Omits events with a payload that is too long to read.
 */
export async function listSuspiciousEvents(
  database: Database,
  filter: EventsFilter,
  { substrings, limit }: { substrings: readonly string[]; limit: number },
) {
  const { columns, read } = makeRow({
    id: selectRequiredInteger('v.id'),
    payloadBytes: selectCount(selectByteLength(payloadColumn)),
  });
  const rows = await selectMatchingEvents(database, filter)
    .select(columns)
    .where(containsAny(database.dialect, searchedText, substrings))
    .orderBy('v.id')
    .limit(limit)
    .execute();
  return rows.map(read);
}

/**
 * Returns the whole payloads of events, in any order. Omits deleted events. A payload that is too long to read is
 * empty.
 */
export async function listPayloads({ kysely }: Database, ids: readonly StoredInteger[]) {
  const { columns, read } = makeRow({
    id: selectRequiredInteger('v.id'),
    payload: selectText(selectReadableText(payloadColumn)),
  });
  const rows = await kysely.selectFrom('events as v').select(columns).where(isOneOf(ids)).execute();
  return rows.map(read);
}

/** Returns the event of a run with this id, a decimal 64-bit integer; null if there is none. */
export async function findEvent(
  { kysely }: Database,
  runId: string,
  id: string,
  truncation: PayloadTruncation,
): Promise<StoredEvent | null> {
  const { columns, read } = selectEventRow(truncation);
  const row = await kysely
    .selectFrom('events as v')
    .select(columns)
    .where('v.id', '=', castInt8(id))
    .where('v.run_id', '=', runId)
    .executeTakeFirst();
  return row ? read(row) : null;
}

/**
 * Returns the event types of a run in code point order, with the number of events of each. A NULL type is empty and
 * last.
 */
export async function listEventTypes(
  { kysely, dialect }: Database,
  runId: string,
): Promise<{ eventType: string; count: number }[]> {
  const rows = await kysely
    .selectFrom('events')
    .select((eb) => ['event_type', eb.fn.countAll<number>().as('count')])
    .where('run_id', '=', runId)
    .groupBy('event_type')
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('event_type')), orderNullsLast('asc'))
    .execute();
  return rows.map((row) => ({ eventType: readText(row.event_type), count: row.count }));
}

function selectMatchingEvents(database: Database, { runId, eventType, search }: EventsFilter) {
  const { kysely, dialect } = database;
  let query = kysely.selectFrom('events as v').where('v.run_id', '=', runId);
  if (eventType !== undefined) {
    query = query.where(dialect.equalsText(sql.ref<string>('v.event_type'), eventType));
  }
  return search === undefined ? query : query.where(matchEvent(dialect, search));
}

/**
 * Returns the condition that an event matches a search. `case` evaluates in order, so the database does not compare
 * hidden payloads with the text. Hidden payloads therefore do not affect the response time.
 */
function matchEvent(dialect: DatabaseDialect, search: EventsSearch): RawBuilder<SqlBool> {
  const { q, hiddenIds, matchingIds, unreadEvents } = search;
  const unreadCase = unreadEvents
    ? sql<SqlBool>`when v.id > ${castInt8(unreadEvents.afterId)} and ${containsAny(dialect, searchedText, unreadEvents.substrings)} then false`
    : sql``;
  return sql<SqlBool>`case when ${isOneOf(hiddenIds)} then ${isOneOf(matchingIds)} ${unreadCase}
    else ${dialect.containsText(searchedText, q)} end`;
}

function isOneOf(ids: readonly ListId[]): RawBuilder<SqlBool> {
  return ids.length === 0
    ? sql<SqlBool>`false`
    : sql<SqlBool>`v.id in (${sql.join(ids.map(castInt8))})`;
}

/** Selects events `v` as {@link StoredEvent}s with truncated payloads; a payload that is too long to read is empty. */
function selectEventRow(truncation: PayloadTruncation) {
  const size = selectByteLength(payloadColumn);
  const prefix = selectTextPrefix(selectReadableText(payloadColumn), truncation.characters);
  const truncatedPayload = sql<string>`case when ${size} <= ${truncation.wholeBytes} then ${payloadColumn} else ${prefix} end`;
  return makeRow({
    id: selectRequiredInteger('v.id'),
    runId: selectNullableText('v.run_id'),
    eventType: selectText('v.event_type'),
    createdAt: selectText('v.created_at'),
    payload: selectText(truncatedPayload),
    payloadBytes: selectCount(size),
  });
}

/** Returns the highest id of an event of a run; null without events. */
export async function findNewestEventId(
  { kysely }: Database,
  runId: string,
): Promise<StoredInteger | null> {
  const row = await kysely
    .selectFrom('events as v')
    .select((eb) => eb.fn.max<StoredInteger | null>('v.id').as('id'))
    .where('v.run_id', '=', runId)
    .executeTakeFirst();
  return row?.id ?? null;
}
