import type { Database } from '#server/db/database.ts';
import { ProblemError } from '#server/errors.ts';
import * as events from '#server/repositories/events.ts';
import { truncateToBytes } from '#server/db/queries.ts';
import type { EventRow, EventsQuery } from '#shared/schemas/run.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import { suspiciousParts } from '#server/domain/secrets/secret-words.ts';
import { computeOnce, type List } from '#server/records/page.ts';
import { requireRun } from './runs.ts';

/**
 * Size in bytes up to which a preview reads a payload completely, even if it is longer than `previewBytes`. For a
 * payload that the preview reads completely, the service reports the size of the masked text.
 */
const wholePayloadBytes = 65_536;

/**
 * Number of bytes that the payloads of a page share equally, and maximum size of a single event's payload that the
 * service reads completely. The service reads only the first {@link maximumPreviewCharacters} of a payload above its
 * share. So a page may exceed this number if it has more than 128 events, or text with several bytes per character.
 */
const maximumPageBytes = 134_217_728;
const maximumPreviewCharacters = 1_048_576;

/**
 * Maximum number and total size of the payloads with a possible secret that a search masks. The search omits further
 * payloads of this kind.
 */
const maximumSuspiciousEvents = 5_000;
const maximumSuspiciousBytes = 33_554_432;
const batchBytes = 2_097_152;

type SuspiciousEvent = Awaited<ReturnType<typeof events.listSuspiciousEvents>>[number];

const maximumId = 2n ** 63n - 1n;

/** Returns the list of the events of a run that match, newest first, without secrets. The list throws RUN_NOT_FOUND. */
export function makeEventList(
  database: Database,
  runId: string,
  query: EventsQuery,
): List<EventRow> {
  const { eventType, q } = query;
  const findFilter = computeOnce(async () => {
    const filter: events.EventsFilter = { runId, eventType };
    if (q !== undefined) filter.search = await searchVisibleText(database, filter, q);
    return filter;
  });
  const { previewBytes, size } = query;
  const truncation =
    previewBytes === undefined
      ? { characters: maximumPreviewCharacters, wholeBytes: Math.floor(maximumPageBytes / size) }
      : { characters: previewBytes, wholeBytes: wholePayloadBytes };
  return {
    listIds: async (pageRequest) => events.listEventIds(database, await findFilter(), pageRequest),
    listItems: async (ids) =>
      (await events.listEvents(database, ids, truncation)).map((event) =>
        toRow(event, previewBytes),
      ),
    count: async () => events.countEvents(database, await findFilter()),
    requireOwner: () => requireRun(database, runId),
  };
}

/**
 * Returns one event with its payload, without secrets. Truncates a payload above {@link maximumPageBytes}. Throws
 * RUN_NOT_FOUND or NOT_FOUND.
 */
export async function getEvent(database: Database, runId: string, id: string): Promise<EventRow> {
  const truncation = { characters: maximumPreviewCharacters, wholeBytes: maximumPageBytes };
  const event =
    BigInt(id) <= maximumId ? await events.findEvent(database, runId, id, truncation) : null;
  if (event) return toRow(event, undefined);
  await requireRun(database, runId);
  throw new ProblemError(
    'NOT_FOUND',
    `The run has no event with the id ${id}. Select another event`,
  );
}

/** Returns the types of a run's events in code point order, NULL last, with their counts; throws RUN_NOT_FOUND. */
export async function listEventTypes(database: Database, runId: string) {
  const types = await events.listEventTypes(database, runId);
  if (types.length === 0) await requireRun(database, runId);
  return types;
}

function toRow(event: events.StoredEvent, previewBytes: number | undefined): EventRow {
  const { payload, payloadBytes, ...row } = event;
  const hasWholePayload = Buffer.byteLength(payload) >= payloadBytes;
  const maskedPayload = maskText(hasWholePayload ? payload : removeTruncatedCredentials(payload));
  if (previewBytes === undefined) {
    return { ...row, payloadJson: maskedPayload, ...(!hasWholePayload && { payloadBytes }) };
  }
  return {
    ...row,
    payloadJson: truncateToBytes(maskedPayload, previewBytes),
    payloadBytes: hasWholePayload ? Buffer.byteLength(maskedPayload) : payloadBytes,
  };
}

/**
 * Removes the host and any credentials of a URL at the end of a truncated text. The credentials may lack the `@` by
 * which masking finds them.
 */
function removeTruncatedCredentials(payload: string): string {
  return payload.replace(/(:(?:\\?\/){2})[^\s/?#"'<>\\]*$/, '$1');
}

/**
 * Returns the search for a text in the masked payloads of events. For every text, reads and masks the same payloads:
 * all that may contain a secret, up to the maximum number and size. The database does not search the payloads with a
 * secret. So neither the matches nor the duration of a search reveal a secret letter by letter.
 */
async function searchVisibleText(
  database: Database,
  filter: events.EventsFilter,
  q: string,
): Promise<events.EventsSearch> {
  const suspiciousEvents = await events.listSuspiciousEvents(database, filter, {
    substrings: suspiciousParts,
    limit: maximumSuspiciousEvents + 1,
  });
  const readableEvents = takeWithinBytes(
    suspiciousEvents.slice(0, maximumSuspiciousEvents),
    maximumSuspiciousBytes,
  );
  const search: events.EventsSearch = { q, hiddenIds: [], matchingIds: [] };
  if (readableEvents.length < suspiciousEvents.length) {
    search.unreadEvents = { afterId: readableEvents.at(-1)?.id ?? -1, substrings: suspiciousParts };
  }
  for (const ids of splitIntoBatches(readableEvents)) {
    for (const { id, payload } of await events.listPayloads(database, ids)) {
      const maskedPayload = maskText(payload);
      if (maskedPayload === payload) continue;
      search.hiddenIds.push(id);
      if (containsText(maskedPayload, q)) search.matchingIds.push(id);
    }
  }
  return search;
}

/** Yields the ids in batches of at most {@link batchBytes} of payloads; a larger payload is a separate batch. */
function* splitIntoBatches(suspiciousEvents: readonly SuspiciousEvent[]) {
  let remainingEvents = suspiciousEvents;
  while (remainingEvents.length > 0) {
    const batch = remainingEvents.slice(
      0,
      Math.max(1, takeWithinBytes(remainingEvents, batchBytes).length),
    );
    yield batch.map(({ id }) => id);
    remainingEvents = remainingEvents.slice(batch.length);
  }
}

function takeWithinBytes(suspiciousEvents: readonly SuspiciousEvent[], bytes: number) {
  let total = 0;
  const end = suspiciousEvents.findIndex(({ payloadBytes }) => (total += payloadBytes) > bytes);
  return end < 0 ? suspiciousEvents : suspiciousEvents.slice(0, end);
}

function containsText(text: string, substring: string): boolean {
  return text.toLowerCase().includes(substring.toLowerCase());
}
