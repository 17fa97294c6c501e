import { createEffect, createMemo, createSignal, For, on, Show, untrack, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { maximumSearchLength } from '#shared/words.ts';
import { useEvents, useEventTypes } from '#renderer/api/queries.ts';
import { Button } from '#renderer/components/Button.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { Pager } from '#renderer/components/Pager.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { TextField } from '#renderer/components/TextField.tsx';
import { createDebounced } from '#renderer/state/debounced.ts';
import { asNumber, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, useUrl } from '#renderer/state/url.ts';
import { AdaptiveCard } from './AdaptiveCard.tsx';
import { EventEntry } from './EventEntry.tsx';

interface EventsTabProps {
  runId: string;
  isLive: boolean;
}

/** Bytes of each payload in the list; the rest comes when an event is opened. */
const previewBytes = 400;
const searchDelayMillis = 250;

/** What the runner reported, newest first, with the adaptive actions as a timeline. */
export function EventsTab(props: EventsTabProps): JSX.Element {
  const url = useUrl();
  const [eventType, setEventType] = createUrlSignal('type', asText(), ['page']);
  const [search, setSearch] = createUrlSignal('q', asText(maximumSearchLength), ['page']);
  const clear = (): void => url.write({ type: undefined, q: undefined, page: undefined }, 'push');
  const types = useEventTypes(
    () => props.runId,
    () => props.isLive,
  );
  const total = (): number => (types.data ?? []).reduce((sum, { count }) => sum + count, 0);
  const hasActions = (): boolean =>
    (types.data ?? []).some((type) => type.eventType === 'adaptive_action');
  return (
    <div class="run-cards">
      <Show when={hasActions()}>
        <AdaptiveCard runId={props.runId} isLive={props.isLive} />
      </Show>
      <div class="event-filters">
        <EventSearch text={search()} onChange={setSearch} />
        <div class="event-types" role="group" aria-label="Kind of event">
          <TypeButton
            name="all"
            count={total()}
            isChosen={eventType() === ''}
            onChoose={() => setEventType('')}
          />
          <For each={types.data ?? []}>
            {({ eventType: kind, count }) => (
              <TypeButton
                name={kind}
                count={count}
                isChosen={eventType() === kind}
                onChoose={() => setEventType(kind)}
              />
            )}
          </For>
        </div>
      </div>
      <EventList {...props} eventType={eventType()} search={search()} onClear={clear} />
    </div>
  );
}

interface EventSearchProps {
  text: string;
  onChange: (text: string) => void;
}

function EventSearch(props: EventSearchProps): JSX.Element {
  const [typed, setTyped] = createSignal(untrack(() => props.text));
  const settled = createDebounced(typed, searchDelayMillis);
  createEffect(on(settled, (text) => props.onChange(text.trim()), { defer: true }));
  // The address may change under the field, by Back or by Clear.
  createEffect(
    on(
      () => props.text,
      (text) => text !== typed().trim() && setTyped(text),
      { defer: true },
    ),
  );
  return (
    <TextField
      class="search"
      type="search"
      label="Search payloads"
      labelHidden
      icon="search"
      placeholder="Search payloads"
      maxLength={maximumSearchLength}
      value={typed()}
      onInput={setTyped}
    />
  );
}

interface TypeButtonProps {
  name: string;
  count: number;
  isChosen: boolean;
  onChoose: () => void;
}

function TypeButton(props: TypeButtonProps): JSX.Element {
  return (
    <Button size="small" pressed={props.isChosen} onClick={props.onChoose}>
      {props.name}
      <span class="muted">{formatCount(props.count)}</span>
    </Button>
  );
}

interface EventListProps extends EventsTabProps {
  eventType: string;
  search: string;
  onClear: () => void;
}

const eventPageSizes = [25, 50, 100] as const;

function EventList(props: EventListProps): JSX.Element {
  const [page, setPage] = createUrlSignal(
    'page',
    asNumber(1, (value) => Number.isSafeInteger(value) && value >= 1),
  );
  const [size, setSize] = createUrlSignal(
    'size',
    asNumber(eventPageSizes[0], (value) => eventPageSizes.some((known) => known === value)),
    ['page'],
  );
  const [openIds, setOpenIds] = createSignal<ReadonlySet<string>>(new Set());
  const events = useEvents(
    () => props.runId,
    () => ({
      eventType: props.eventType,
      q: props.search,
      page: page() - 1,
      size: size(),
      previewBytes,
    }),
    () => props.isLive,
  );
  const byId = createMemo(
    () => new Map((events.data?.items ?? []).map((event) => [String(event.id), event])),
  );
  const toggle = (id: string): void => {
    setOpenIds((open) =>
      open.has(id) ? new Set([...open].filter((other) => other !== id)) : new Set([...open, id]),
    );
  };
  const isFiltered = (): boolean => props.eventType !== '' || props.search !== '';
  return (
    <QueryView query={events} skeleton={<Skeleton shape="table" count={12} />}>
      {(answer) => (
        <>
          <ol
            class="event-list"
            classList={{ 'table-previous': events.isPlaceholder }}
            aria-label="Events"
          >
            <For
              each={[...byId().keys()]}
              fallback={
                <li>
                  <NoEvents
                    isFiltered={isFiltered()}
                    total={answer().total}
                    onClear={props.onClear}
                  />
                </li>
              }
            >
              {(id) => (
                <Show when={byId().get(id)}>
                  {(event) => (
                    <EventEntry
                      runId={props.runId}
                      event={event()}
                      isOpen={openIds().has(id)}
                      onToggle={() => toggle(id)}
                    />
                  )}
                </Show>
              )}
            </For>
          </ol>
          <Show when={answer().total > 0}>
            <Pager
              page={page()}
              size={size()}
              total={answer().total}
              of={answer().total === 1 ? 'event' : 'events'}
              sizes={eventPageSizes}
              onPage={setPage}
              onSize={setSize}
            />
          </Show>
        </>
      )}
    </QueryView>
  );
}

function NoEvents(props: { isFiltered: boolean; total: number; onClear: () => void }): JSX.Element {
  return (
    <Show
      when={props.isFiltered || props.total > 0}
      fallback={
        <EmptyState title="No events">The runner has reported nothing of this run.</EmptyState>
      }
    >
      <EmptyState
        title="No event matches"
        actions={<Button onClick={() => props.onClear()}>Show all events</Button>}
      >
        Events of this run are left out by the kind, the search or the page.
      </EmptyState>
    </Show>
  );
}
