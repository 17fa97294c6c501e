import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { Insights } from '#shared/schemas/insights.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { createSharedCursor, SharedCursor } from '#renderer/charts/cursor.ts';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import type { Diagnoses } from '#renderer/features/runs/diagnoses.ts';
import './inside.css';

/** Props of a tab of telemetry. */
export interface InsideProps {
  runId: string;
  insights: QueryState<Insights>;
  diagnoses: Diagnoses;
}

interface InsideTabProps extends InsideProps {
  /** Content of the tab, as in "No … for this run". */
  what: string;
  entries: (insights: Insights) => readonly ChartEntry[];
  /** Cards before and after the charts, and content below them. */
  lead?: (insights: () => Insights) => JSX.Element;
  more?: (insights: () => Insights) => JSX.Element;
  below?: (insights: () => Insights) => JSX.Element;
}

/** Charts of the telemetry of a run, with a shared iteration cursor. */
export function InsideTab(props: InsideTabProps): JSX.Element {
  return (
    <QueryView
      query={props.insights}
      skeleton={<Skeleton content="insights" shape={{ blockPixels: 400 }} />}
    >
      {(insights) => <InsideCharts {...props} data={insights()} />}
    </QueryView>
  );
}

function InsideCharts(props: InsideTabProps & { data: Insights }): JSX.Element {
  const entries = createMemo(() => props.entries(props.data));
  const insights = (): Insights => props.data;
  return (
    <Show
      when={entries().length > 0}
      fallback={<NoTelemetry insights={props.data} what={props.what} />}
    >
      <SharedCursor.Provider value={createSharedCursor()}>
        <div class="run-cards">
          <p class="muted">{formatGeneration(props.data)}</p>
          <ChartGrid entries={entries()} subject={props.runId} lead={props.lead?.(insights)}>
            {props.more?.(insights)}
          </ChartGrid>
          {props.below?.(insights)}
        </div>
      </SharedCursor.Provider>
    </Show>
  );
}

/** States which generation telemetry describes, and how many iterations were omitted. */
function formatGeneration({ thinnedIterations, iterations }: Insights): string {
  const lag =
    'Each value is plotted at the iteration that logged it, but describes the previous generation (the parents).';
  return thinnedIterations === null
    ? lag
    : `${lag} ${formatCount(iterations.length)} evenly spaced iterations of ${formatCount(thinnedIterations)}.`;
}

/** States that a run has no data for a tab, and why. */
function NoTelemetry(props: { insights: Insights; what: string }): JSX.Element {
  const reason = (): string => {
    if (props.insights.iterations.length === 0) return 'No iterations recorded for this run.';
    return props.insights.family === 'unknown'
      ? `The runner records ${props.what} only for bit strings, permutations and real vectors.`
      : `The stored iterations contain no ${props.what}.`;
  };
  return <EmptyState title={`No ${props.what} for this run`}>{reason()}</EmptyState>;
}
