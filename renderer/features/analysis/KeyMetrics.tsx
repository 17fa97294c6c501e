import { Show, type JSX } from 'solid-js';
import { getRuntime } from '#shared/group-metrics.ts';
import {
  describeCount,
  formatCount,
  formatDuration,
  formatFitness,
  formatRuntime,
  formatShare,
} from '#shared/number-format.ts';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { Stat } from '#renderer/ui/Facts.tsx';

/** Key statistics of an experiment, as in a table of a paper. */
export function KeyMetrics(props: { response: ExperimentAnalysis }): JSX.Element {
  const best = () => props.response.bestFitnessBox;
  const interval = () => props.response.successRateCi;
  const runtime = (value: number | null): string =>
    formatRuntime(getRuntime(props.response, value));
  return (
    <dl class="stat-strip">
      <Show when={props.response.targetFitness !== null}>
        <Stat
          term="Success rate, 95 % CI"
          value={formatShare(props.response.totalRuns === 0 ? null : props.response.successRate)}
          note={
            interval() && `${formatShare(interval()?.lower)} – ${formatShare(interval()?.upper)}`
          }
        />
        <Stat
          term="Solved"
          value={formatCount(props.response.successfulRuns)}
          note={`of ${describeCount(props.response.totalRuns, 'run')}`}
        />
        <Stat term="ERT" value={runtime(props.response.ert)} note="evaluations" />
        <Stat term="SP1" value={runtime(props.response.sp1)} note="evaluations" />
      </Show>
      <Stat
        term="Median best"
        value={formatFitness(best().median)}
        note={`n = ${formatCount(best().n)}`}
      />
      <Stat
        term="Mean best ± std"
        value={formatFitness(best().mean)}
        note={best().stdDev !== null && `± ${formatFitness(best().stdDev)}`}
      />
      <Stat
        term="Median budget and runtime"
        value={formatCount(props.response.evaluationsBox.median)}
        note={`evaluations, ${formatDuration(props.response.runtimeMillisBox.median)}`}
      />
    </dl>
  );
}
