import { createMemo, Match, Show, Switch, type JSX } from 'solid-js';
import type { Insights } from '#shared/schemas/insights.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { Notes } from '#renderer/ui/Notes.tsx';
import { AdjacencyCard } from './AdjacencyCard.tsx';
import type { Diagnoses } from '#renderer/features/runs/diagnoses.ts';
import { EdgesCard } from './EdgesCard.tsx';
import { makeMetricsEntry, makeModelEntries } from './insight-entries.ts';
import { InsideTab, type InsideProps } from './InsideTab.tsx';
import { PositionCard } from './PositionCard.tsx';
import { createTrajectories } from './trajectories.tsx';
import { makeSmallMultiples, makeTelemetryEntries } from './telemetry-entries.ts';
import { insightSpecs } from '#renderer/features/runs/telemetry-specs.ts';

/** Insights into the model of a run, by family. */
export function InsightsTab(props: InsideProps): JSX.Element {
  const trajectories = createTrajectories();
  const entries = (insights: Insights): ChartEntry[] => {
    const own = [
      ...makeModelEntries(insights),
      ...trajectories(insights),
      ...makeTelemetryEntries(insights, props.diagnoses, insightSpecs[insights.family]),
    ];
    return own.length > 0 ? own : [makeMetricsEntry(insights)];
  };
  return (
    <InsideTab
      {...props}
      what="model insights"
      entries={entries}
      lead={(insights) => (
        <Show when={insights().family === 'permutation'}>
          <PositionCard runId={props.runId} iterations={insights().iterations} />
        </Show>
      )}
      more={(insights) => (
        <Switch>
          <Match when={insights().family === 'binary'}>
            <EdgesCard runId={props.runId} insights={insights()} />
          </Match>
          <Match when={insights().family === 'permutation'}>
            <AdjacencyCard adjacency={insights().adjacency} />
          </Match>
        </Switch>
      )}
      below={(insights) => (
        <SmallMultiples runId={props.runId} insights={insights()} diagnoses={props.diagnoses} />
      )}
    />
  );
}

interface SmallMultiplesProps {
  runId: string;
  insights: Insights;
  diagnoses: Diagnoses;
}

/** Model numbers, and all metrics of a family without telemetry, each as a small chart. */
function SmallMultiples(props: SmallMultiplesProps): JSX.Element {
  const isUnknown = (): boolean => props.insights.family === 'unknown';
  const hasModel = (): boolean =>
    multiples().entries.length > 0 || (!isUnknown() && multiples().constants.length > 0);
  const multiples = createMemo(() =>
    makeSmallMultiples(props.insights, props.diagnoses, {
      hasMetrics: isUnknown(),
      drawnKeys: new Set(
        insightSpecs[props.insights.family].flatMap(({ names }) => names.map(([key]) => key)),
      ),
    }),
  );
  return (
    <>
      <Show when={hasModel()}>
        <h2 class="run-section">
          {isUnknown() ? 'Model diagnostics and metrics' : 'Model diagnostics'}
        </h2>
        <ChartGrid entries={multiples().entries} subject={props.runId} />
        <Notes
          notes={
            multiples().constants.length > 0
              ? [`Constant, not plotted: ${multiples().constants.join(', ')}.`]
              : []
          }
        />
      </Show>
      <Show when={!isUnknown()}>
        <ChartGrid entries={[makeMetricsEntry(props.insights)]} subject={props.runId} />
      </Show>
    </>
  );
}
