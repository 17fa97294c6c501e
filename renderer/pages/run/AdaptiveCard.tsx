import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { EventRow } from '#shared/schemas/run.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import {
  adaptiveTimeline,
  type AdaptiveAction,
} from '#renderer/charts/figures/adaptive-timeline.ts';
import { countColumn } from '#renderer/components/table/column-kinds.tsx';
import { DataTable } from '#renderer/components/table/DataTable.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { parseAdaptiveAction } from './telemetry.ts';

/** Most actions shown: one page of the service. */
const maximumActions = 200;

type ActionRow = AdaptiveAction & { id: string };

const columns: readonly TableColumn<ActionRow>[] = [
  countColumn('iteration', 'Iteration', (row) => row.iteration, { descendingFirst: false }),
  { id: 'trigger', header: 'Trigger', value: (row) => row.trigger },
  { id: 'action', header: 'Action', value: (row) => row.actionType },
  { id: 'reason', header: 'Reason', value: (row) => row.reason },
];

/** What the adaptive rules did to a run, on the iteration axis and as a list. */
export function AdaptiveCard(props: { runId: string; isLive: boolean }): JSX.Element {
  const events = useEndpoint('listEvents', () => ({
    params: { runId: props.runId },
    query: { eventType: 'adaptive_action', size: maximumActions },
    live: props.isLive,
  }));
  return (
    <QueryView query={events} skeleton={<Skeleton shape={{ blockPixels: 180 }} />}>
      {(page) => (
        <AdaptiveTimeline runId={props.runId} events={page().items} total={page().total} />
      )}
    </QueryView>
  );
}

interface AdaptiveTimelineProps {
  runId: string;
  events: readonly EventRow[];
  total: number;
}

function AdaptiveTimeline(props: AdaptiveTimelineProps): JSX.Element {
  const actions = createMemo(() =>
    props.events.flatMap(({ id, payloadJson }): ActionRow[] => {
      const action = parseAdaptiveAction(payloadJson);
      return action ? [{ ...action, id: String(id) }] : [];
    }),
  );
  const triggers = (): number => new Set(actions().map(({ trigger }) => trigger)).size;
  const notes = (): string[] => {
    const unread = props.events.length - actions().length;
    return [
      ...(props.total > props.events.length
        ? [`Only the newest ${props.events.length} of ${formatCount(props.total)} actions.`]
        : []),
      ...(unread > 0
        ? [`${unread} actions could not be read and are only in the list of events.`]
        : []),
    ];
  };
  return (
    <div class="adaptive">
      <ChartCard
        subject={props.runId}
        entry={{
          id: 'adaptive-actions',
          title: 'Adaptive actions',
          describe: () =>
            'When the algorithm intervened: one row per trigger, one mark per kind of action',
          figure: () => adaptiveTimeline(actions()),
          heightPixels: () => 90 + 30 * Math.max(1, triggers()),
          notes,
        }}
      />
      <Show when={actions().length > 0}>
        <DataTable<ActionRow>
          plain
          name="adaptive-actions"
          urlKey="action-"
          label="Adaptive actions"
          columns={columns}
          rows={actions()}
          rowId={(row) => row.id}
          defaultSort={{ column: 'iteration', direction: 'asc' }}
          maxHeight="220px"
          empty={null}
        />
      </Show>
    </div>
  );
}
