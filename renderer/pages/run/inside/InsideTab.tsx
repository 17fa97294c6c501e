import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { Insights } from '#shared/schemas/insights.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { createSharedCursor, SharedCursor } from '#renderer/charts/cursor.ts';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import type { Diagnoses } from './diagnoses.ts';
import './inside.css';

/** What a tab of telemetry is made of. */
export interface InsideProps {
  runId: string;
  insights: QueryState<Insights>;
  diagnoses: Diagnoses;
}

interface InsideTabProps extends InsideProps {
  /** What the tab shows, as in "No … of this run". */
  what: string;
  entries: (insights: Insights) => readonly ChartEntry[];
  /** Cards before and after the charts, and what stands below them. */
  lead?: (insights: () => Insights) => JSX.Element;
  more?: (insights: () => Insights) => JSX.Element;
  below?: (insights: () => Insights) => JSX.Element;
}

/** Charts of the telemetry of a run, which share the iteration under the cursor. */
export function InsideTab(props: InsideTabProps): JSX.Element {
  return (
    <QueryView query={props.insights} skeleton={<Skeleton shape={{ blockPixels: 400 }} />}>
      {(insights) => <InsideCharts {...props} told={insights()} />}
    </QueryView>
  );
}

function InsideCharts(props: InsideTabProps & { told: Insights }): JSX.Element {
  const entries = createMemo(() => props.entries(props.told));
  const told = (): Insights => props.told;
  return (
    <Show
      when={entries().length > 0}
      fallback={<NoTelemetry insights={props.told} what={props.what} />}
    >
      <SharedCursor.Provider value={createSharedCursor()}>
        <div class="run-cards">
          <p class="muted">{generationText(props.told)}</p>
          <ChartGrid entries={entries()} subject={props.runId} lead={props.lead?.(told)}>
            {props.more?.(told)}
          </ChartGrid>
          {props.below?.(told)}
        </div>
      </SharedCursor.Provider>
    </Show>
  );
}

/** To which generation telemetry belongs, and how many iterations were left out. */
function generationText({ thinnedIterations, iterations }: Insights): string {
  const lag =
    'Telemetry stands at the iteration that wrote it and describes the generation before: the parents of its population.';
  return thinnedIterations === null
    ? lag
    : `${lag} ${formatCount(iterations.length)} evenly chosen iterations of ${formatCount(thinnedIterations)}.`;
}

/** Says that a run has none of the numbers of a tab, and why. */
function NoTelemetry(props: { insights: Insights; what: string }): JSX.Element {
  const reason = (): string => {
    if (props.insights.iterations.length === 0) return 'No iteration of this run is stored.';
    return props.insights.family === 'unknown'
      ? `The runner tells ${props.what} of bit strings, permutations and real vectors only.`
      : `The stored iterations carry no ${props.what}.`;
  };
  return <EmptyState title={`No ${props.what} of this run`}>{reason()}</EmptyState>;
}
