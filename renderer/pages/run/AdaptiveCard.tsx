import { createMemo, Show, type JSX } from 'solid-js';
import type { Insights } from '#shared/schemas/insights.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import {
  getAdaptiveTimeline,
  type AdaptiveAction,
} from '#renderer/charts/figures/adaptive-timeline.ts';
import { makeCountColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getMarks, type Diagnoses } from '#renderer/features/runs/diagnoses.ts';

type ActionRow = AdaptiveAction & { id: string };

const columns: readonly TableColumn<ActionRow>[] = [
  makeCountColumn('iteration', 'Iteration', (row) => row.iteration, { descendingFirst: false }),
  { id: 'trigger', header: 'Trigger', value: (row) => row.trigger },
  { id: 'action', header: 'Action', value: (row) => row.actionType },
  { id: 'reason', header: 'Reason', value: (row) => row.reason },
];

interface AdaptiveCardProps {
  runId: string;
  insights: QueryState<Insights>;
  diagnoses: Diagnoses;
}

/** Actions of the adaptive rules of a run, on the iteration axis and as a list. */
export function AdaptiveCard(props: AdaptiveCardProps): JSX.Element {
  return (
    <QueryView
      query={props.insights}
      skeleton={<Skeleton content="adaptive actions" shape={{ blockPixels: 180 }} />}
    >
      {(insights) => (
        <AdaptiveTimeline runId={props.runId} insights={insights()} diagnoses={props.diagnoses} />
      )}
    </QueryView>
  );
}

interface AdaptiveTimelineProps {
  runId: string;
  insights: Insights;
  diagnoses: Diagnoses;
}

function AdaptiveTimeline(props: AdaptiveTimelineProps): JSX.Element {
  const actions = createMemo(() =>
    props.insights.adaptiveActions.map((action, index): ActionRow => ({
      ...action,
      id: String(index),
    })),
  );
  const triggers = (): number => new Set(actions().map(({ trigger }) => trigger)).size;
  const marks = () =>
    getMarks(props.diagnoses, ['adaptive_event_count'], props.insights.iterations);
  const notes = (): string[] =>
    props.insights.thinnedIterations === null
      ? []
      : ['Thinned to evenly spaced iterations; the event list below is complete.'];
  return (
    <div class="adaptive">
      <ChartCard
        subject={props.runId}
        entry={{
          id: 'adaptive-actions',
          title: 'Adaptive actions',
          describe: () => 'One row per trigger, one mark per kind of action',
          figure: () => ({ ...getAdaptiveTimeline(actions()), marks: marks() }),
          heightPixels: () => 90 + 30 * Math.max(1, triggers()),
          notes,
        }}
      />
      <Show when={actions().length > 0}>
        <DataTable<ActionRow>
          name="adaptive-actions"
          urlKey="action-"
          label="Adaptive actions"
          columns={columns}
          rows={actions()}
          rowId={(row) => row.id}
          defaultSort={{ column: 'iteration', direction: 'asc' }}
          maxHeight="17rem"
          empty={null}
        />
      </Show>
    </div>
  );
}
