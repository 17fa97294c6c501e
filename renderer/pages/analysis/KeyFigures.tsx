import { Show, type JSX } from 'solid-js';
import {
  formatCount,
  formatDuration,
  formatFitness,
  formatRuntime,
  formatShare,
} from '#shared/number-format.ts';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { Stat } from '#renderer/components/Facts.tsx';
import { runtimeOf } from './group-looks.ts';

/** The figures of an experiment that a table in a paper would have. */
export function KeyFigures(props: { answer: ExperimentAnalysis }): JSX.Element {
  const best = () => props.answer.bestFitnessBox;
  const runtime = (value: number | null): string => formatRuntime(runtimeOf(props.answer, value));
  return (
    <dl class="stat-strip">
      <Stat term="Success rate, 95 % CI">
        <strong>
          {props.answer.totalRuns === 0 ? formatShare(null) : formatShare(props.answer.successRate)}
        </strong>
        <Show when={props.answer.successRateCi}>
          {(interval) => (
            <small>
              {formatShare(interval().lower)} – {formatShare(interval().upper)}
            </small>
          )}
        </Show>
      </Stat>
      <Stat term="Solved">
        <strong>{formatCount(props.answer.successfulRuns)}</strong>
        <small>of {formatCount(props.answer.totalRuns)} runs</small>
      </Stat>
      <Stat term="ERT">
        <strong>{runtime(props.answer.ert)}</strong>
        <small>evaluations</small>
      </Stat>
      <Stat term="SP1">
        <strong>{runtime(props.answer.sp1)}</strong>
        <small>evaluations</small>
      </Stat>
      <Stat term="Median best">
        <strong>{formatFitness(best().median)}</strong>
        <small>n = {formatCount(best().n)}</small>
      </Stat>
      <Stat term="Mean best ± std">
        <strong>{formatFitness(best().mean)}</strong>
        <Show when={best().stdDev !== null}>
          <small>± {formatFitness(best().stdDev)}</small>
        </Show>
      </Stat>
      <Stat term="Median budget and runtime">
        <strong>{formatCount(props.answer.evaluationsBox.median)}</strong>
        <small>evaluations, {formatDuration(props.answer.runtimeMillisBox.median)}</small>
      </Stat>
    </dl>
  );
}
