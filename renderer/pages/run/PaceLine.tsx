import { createMemo, Show, type JSX } from 'solid-js';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import type { RunDetail } from '#shared/schemas/run.ts';
import { getCurrentForecast, describeHit, describePace } from './forecast-words.ts';

interface PaceLineProps {
  run: RunDetail;
  forecast: RunForecast | undefined;
}

/**
 * Line with the speed of a RUNNING run, its remaining budget, and the forecast of its target; nothing for any other
 * run, and for a silent one.
 */
export function PaceLine(props: PaceLineProps): JSX.Element {
  const hit = createMemo(() => getCurrentForecast(props.run, props.forecast));
  const text = createMemo(() => {
    const { progress } = props.run;
    if (!progress || progress.silent) return undefined;
    const forecast = hit();
    return [describePace(progress), forecast && describeHit(forecast, progress)]
      .filter(Boolean)
      .join('. ');
  });
  const source = (): string =>
    hit()
      ? ' The forecast uses the finished runs of this experiment that missed the target up to as many evaluations.'
      : '';
  return (
    <Show when={text()}>
      {(words) => (
        <p class="run-pace clip muted" title={`${words()}.${source()}`}>
          {`${words()}.`}
        </p>
      )}
    </Show>
  );
}
