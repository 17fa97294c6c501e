import type { Database } from '#server/db/database.ts';
import { ProblemError } from '#server/errors.ts';
import * as events from '#server/repositories/events.ts';
import { cutToBytes } from '#server/db/expressions.ts';
import type { Page } from '#shared/schemas/common.ts';
import type { EventRow, EventsQuery } from '#shared/schemas/run.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';
import { fetchPage } from './page.ts';
import { requireRun } from './runs.ts';
import { secretWords } from '#server/rules/secrets/secret-words.ts';

/** Payloads up to this size are read whole for a preview, so that their size is that of what is shown. */
const wholePayloadBytes = 65_536;

/** Events of which a search has to look at the payload itself, before it leaves out all of their kind. */
const maximumHidden = 500;

const batchSize = 50;
const largestId = 2n ** 63n - 1n;

/** What can hold a secret in a payload: the words, and the end of the credentials of a URL. */
const suspiciousParts = [...secretWords, '@', '\\u00'];

/** One page of a run's events, newest first, secrets hidden; throws RUN_NOT_FOUND. */
export async function listEvents(
  database: Database,
  runId: string,
  query: EventsQuery,
): Promise<Page<EventRow>> {
  const filter = await excludeMaskedMatches(database, {
    runId,
    eventType: query.eventType,
    q: query.q,
  });
  const { previewBytes } = query;
  const cut = previewBytes && { characters: previewBytes, wholeBytes: wholePayloadBytes };
  const page = await fetchPage(
    query,
    () => events.listEvents(database, filter, query, cut || undefined),
    () => events.countEvents(database, filter),
  );
  if (page.total === 0) await requireRun(database, runId);
  return { ...page, items: page.items.map((event) => toRow(event, previewBytes)) };
}

/** One event with its whole payload, secrets hidden; throws RUN_NOT_FOUND, or NOT_FOUND. */
export async function getEvent(database: Database, runId: string, id: string): Promise<EventRow> {
  const event = BigInt(id) <= largestId ? await events.findEvent(database, runId, id) : null;
  if (event) return toRow(event, undefined);
  await requireRun(database, runId);
  throw new ProblemError('NOT_FOUND', `The run has no event with the id ${id}`);
}

/** The kinds of a run's events with their counts; throws RUN_NOT_FOUND. */
export async function listEventTypes(database: Database, runId: string) {
  const types = await events.listEventTypes(database, runId);
  if (types.length === 0) await requireRun(database, runId);
  return types;
}

function toRow(event: events.StoredEvent, previewBytes: number | undefined): EventRow {
  const { payload, payloadBytes, ...rest } = event;
  const isWhole = Buffer.byteLength(payload) >= payloadBytes;
  const shown = maskJson(isWhole ? payload : withoutCutCredentials(payload));
  if (previewBytes === undefined) return { ...rest, payloadJson: shown };
  return {
    ...rest,
    payloadJson: cutToBytes(shown, previewBytes),
    payloadBytes: isWhole ? Buffer.byteLength(shown) : payloadBytes,
  };
}

/** A cut inside a URL can leave its credentials without the `@` by which they are known. */
function withoutCutCredentials(payload: string): string {
  return payload.replace(/(:(?:\\?\/){2})[^\s/?#"'<>\\]*$/, '$1');
}

/**
 * The filter, narrowed to events that show the text after their secrets are hidden: a search for the letters
 * of a secret must find nothing. Only payloads that hold a secret's key as well as the text are looked at;
 * where hiding takes the text out of more than {@link maximumHidden}, all payloads with such keys are left
 * out.
 */
async function excludeMaskedMatches(
  database: Database,
  filter: events.EventsFilter,
): Promise<events.EventsFilter> {
  const { q } = filter;
  if (q === undefined) return filter;
  const exceptIds: events.StoredEvent['id'][] = [];
  let afterId: events.StoredEvent['id'] = -1;
  while (exceptIds.length <= maximumHidden) {
    const found = await events.listEventsWithWords(database, filter, suspiciousParts, {
      afterId,
      limit: batchSize,
    });
    const hidden = found.filter(({ payload }) => !showsText(maskJson(payload), q));
    exceptIds.push(...hidden.map(({ id }) => id));
    const last = found.at(-1);
    if (last === undefined || found.length < batchSize) return { ...filter, exceptIds };
    afterId = last.id;
  }
  return { ...filter, exceptWords: suspiciousParts };
}

function showsText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
