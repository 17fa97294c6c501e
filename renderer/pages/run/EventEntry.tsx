import { createUniqueId, Show, type JSX } from 'solid-js';
import { formatBytes } from '#shared/number-format.ts';
import type { EventRow } from '#shared/schemas/run.ts';
import { getEndpointUrl } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { formatFullTime, formatTime } from '#renderer/ui/time.ts';
import { getEventPreview } from './event-preview.ts';
import { JsonView } from '#renderer/ui/JsonView.tsx';

interface EventEntryProps {
  runId: string;
  event: EventRow;
  isOpen: boolean;
  onToggle: () => void;
}

/** Largest payload shown on the page, in bytes. */
const maximumShownBytes = 5_000_000;

/** One event: a line with the start of its payload, and, when open, the full payload below. */
export function EventEntry(props: EventEntryProps): JSX.Element {
  const payloadId = createUniqueId();
  return (
    <li class="event">
      <button
        type="button"
        class="event-line"
        aria-expanded={props.isOpen}
        aria-controls={props.isOpen ? payloadId : undefined}
        onClick={() => props.onToggle()}
      >
        <Icon name={props.isOpen ? 'down' : 'right'} size={12} />
        <span class="muted" title={formatFullTime(props.event.createdAt)}>
          {formatTime(props.event.createdAt)}
        </span>
        <span class="event-type clip">{props.event.eventType}</span>
        <span class="muted clip mono">{getEventPreview(props.event.payloadJson)}</span>
        <span class="muted event-size">{formatBytes(props.event.payloadBytes)}</span>
      </button>
      <Show when={props.isOpen}>
        <div id={payloadId} class="event-payload">
          <Show
            when={(props.event.payloadBytes ?? 0) <= maximumShownBytes}
            fallback={
              <p class="muted">
                The payload is too large to show.{' '}
                <a href={getPayloadUrl(props.runId, props.event)}>Open it as JSON</a>
              </p>
            }
          >
            <WholePayload runId={props.runId} id={String(props.event.id)} />
          </Show>
        </div>
      </Show>
    </li>
  );
}

function getPayloadUrl(runId: string, { id }: EventRow): string {
  return getEndpointUrl('getEvent', { params: { runId, id: String(id) } });
}

function WholePayload(props: { runId: string; id: string }): JSX.Element {
  const event = useEndpoint('getEvent', () => ({ params: { runId: props.runId, id: props.id } }));
  return (
    <QueryView query={event} skeleton={<Skeleton content="event" shape="lines" count={4} />}>
      {(data) => <JsonView text={data().payloadJson} name="payload" />}
    </QueryView>
  );
}
