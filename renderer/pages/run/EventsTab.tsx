import { createSignal, For, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { FilterBar } from '#renderer/features/explorer/FilterBar.tsx';
import type { Filter } from '#renderer/features/explorer/filters.ts';
import { ListPager } from '#renderer/features/explorer/ListPager.tsx';
import { createListState, type ListState } from '#renderer/features/explorer/list-state.ts';
import { Keyed } from '#renderer/ui/Keyed.tsx';
import { FailedPart, QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { toggleValue } from '#renderer/state/toggle-value.ts';
import { AdaptiveCard } from './AdaptiveCard.tsx';
import type { InsideProps } from './inside/InsideTab.tsx';
import { EventEntry } from './EventEntry.tsx';
import './events.css';

interface EventsTabProps extends InsideProps {
  isLive: boolean;
}

/** Bytes of each payload in the list. Opening an event fetches the whole payload. */
const previewBytes = 400;

const search: Filter = {
  kind: 'search',
  label: 'Search payloads',
  placeholder: 'Search payloads',
};
/** Filter of the kinds of events. It has buttons, because there are few kinds and their counts are informative. */
const kinds: Filter = { kind: 'choice', name: 'eventType', label: 'Kind', options: () => [] };

/** Events of the runner, latest first, with the adaptive actions as a timeline. */
export function EventsTab(props: EventsTabProps): JSX.Element {
  const list = createListState([search, kinds], 25);
  const types = useEndpoint('listEventTypes', () => ({
    params: { runId: props.runId },
    isRunning: props.isLive,
  }));
  const hasActions = (): boolean =>
    (types.data ?? []).some(({ eventType }) => eventType === 'adaptive_action');
  return (
    <div class="run-cards">
      <Show when={hasActions()}>
        <AdaptiveCard runId={props.runId} insights={props.insights} diagnoses={props.diagnoses} />
      </Show>
      <div class="event-filters">
        <FilterBar list={{ ...list, filters: [search] }} facets={undefined} label="Search events" />
        <KindButtons list={list} types={types.data} />
      </div>
      <FailedPart query={types} consequence="The kinds of events could not be loaded" />
      <EventList {...props} list={list} />
    </div>
  );
}

interface KindButtonsProps {
  list: ListState;
  /** Undefined while unknown. */
  types: readonly { eventType: string; count: number }[] | undefined;
}

function KindButtons(props: KindButtonsProps): JSX.Element {
  const selectedType = (): string | undefined => props.list.values()['eventType']?.[0];
  const total = (): number | undefined => props.types?.reduce((sum, { count }) => sum + count, 0);
  const button = (kind: string | undefined, count: () => number | undefined): JSX.Element => (
    <Button
      size="small"
      pressed={selectedType() === kind}
      onClick={() => props.list.filter({ eventType: kind })}
    >
      {kind ?? 'all'}
      <span class="muted">{formatCount(count())}</span>
    </Button>
  );
  return (
    <div class="event-types" role="group" aria-label="Kind of event">
      {button(undefined, total)}
      <For each={props.types}>{({ eventType, count }) => button(eventType, () => count)}</For>
    </div>
  );
}

function EventList(props: EventsTabProps & { list: ListState }): JSX.Element {
  const [openIds, setOpenIds] = createSignal<ReadonlySet<string>>(new Set());
  const events = useEndpoint('listEvents', () => ({
    params: { runId: props.runId },
    query: {
      ...props.list.query(),
      eventType: props.list.values()['eventType']?.[0],
      previewBytes,
    },
    isRunning: props.isLive,
  }));
  const toggle = (id: string): void => void setOpenIds((open) => new Set(toggleValue(open, id)));
  return (
    <QueryView query={events} skeleton={<Skeleton content="events" shape="table" count={12} />}>
      {(response) => (
        <>
          <ol
            class="event-list"
            classList={{ 'table-previous': events.isPlaceholder }}
            aria-label="Events"
          >
            <Keyed
              each={response().items}
              by={({ id }) => String(id)}
              fallback={
                <li>
                  <NoEvents list={props.list} total={response().total} />
                </li>
              }
            >
              {(event) => (
                <EventEntry
                  runId={props.runId}
                  event={event()}
                  isOpen={openIds().has(String(event().id))}
                  onToggle={() => toggle(String(event().id))}
                />
              )}
            </Keyed>
          </ol>
          <ListPager
            list={props.list}
            response={response()}
            isPlaceholder={events.isPlaceholder}
            noun="event"
          />
        </>
      )}
    </QueryView>
  );
}

function NoEvents(props: { list: ListState; total: number }): JSX.Element {
  return (
    <Show
      when={props.list.chips().length > 0 || props.total > 0}
      fallback={<EmptyState title="No events">No events recorded for this run.</EmptyState>}
    >
      <EmptyState
        title="No events match"
        actions={<Button onClick={() => props.list.clear()}>Clear filters</Button>}
      >
        The kind, the search or the page excludes all events of this run.
      </EmptyState>
    </Show>
  );
}
