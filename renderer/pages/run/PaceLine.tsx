import { createMemo, Show, type JSX } from 'solid-js';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import type { RunDetail } from '#shared/schemas/run.ts';
import { getCurrentForecast, describeHit, describePace } from './forecast-words.ts';

interface PaceLineProps {
  run: RunDetail;
  forecast: RunForecast | undefined;
}

/** How fast a RUNNING run is, when its budget is used up, and when its target is expected; nothing for a silent run. */
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
      ? ' The forecast is made from the finished runs of this experiment that had not reached the target after as many evaluations.'
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
