import { createMemo, Show, type JSX } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import { getNearestStop } from '#renderer/charts/cursor.ts';
import { makePositionFigure } from '#renderer/charts/figures/telemetry-maps.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { createDebounced } from '#renderer/state/debounced.ts';
import { asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { getPositionDistribution } from './position-distribution.ts';

interface PositionCardProps {
  runId: string;
  iterations: readonly number[];
}

/** Frequency of each item at each position, at the iteration of a slider; the latest by default. */
export function PositionCard(props: PositionCardProps): JSX.Element {
  const [selectedIteration, choose] = createUrlSignal('at', {
    ...asNumber(undefined),
    history: () => 'replace',
  });
  const iteration = createMemo((): number | undefined => {
    const at = selectedIteration() ?? Infinity;
    return props.iterations.length === 0 ? undefined : getNearestStop(props.iterations, at);
  });
  const debounced = createDebounced(iteration, 100);
  const row = useEndpoint('getIteration', () => ({
    params: { runId: props.runId, iteration: String(debounced() ?? 0) },
    enabled: debounced() !== undefined,
  }));
  const isLoaded = (): boolean => row.data !== undefined || iteration() === undefined;
  const figure = createMemo(() =>
    makePositionFigure(isLoaded() ? getPositionDistribution(row.data?.diagnosticsJson) : undefined),
  );
  const controls = (): JSX.Element => (
    <Slider
      iterations={props.iterations}
      iteration={iteration()}
      isLatest={selectedIteration() === undefined}
      onChange={choose}
    />
  );
  return (
    <ChartCard
      subject={props.runId}
      entry={{
        id: 'positions',
        title: 'Item × position',
        describe: () =>
          `Frequency of each item at each position in the elite, at iteration ${row.data?.iteration ?? iteration() ?? '–'}`,
        figure,
        controls,
        notes: () => (row.error ? [row.error.detail] : []),
      }}
    />
  );
}

interface SliderProps {
  iterations: readonly number[];
  iteration: number | undefined;
  isLatest: boolean;
  onChange: (iteration: number | undefined) => void;
}

function Slider(props: SliderProps): JSX.Element {
  return (
    <>
      <label class="position-slider">
        Iteration
        <input
          type="range"
          min="0"
          max={Math.max(0, props.iterations.length - 1)}
          value={props.iterations.indexOf(props.iteration ?? 0)}
          aria-valuetext={`iteration ${props.iteration ?? 'none'}`}
          onInput={(event) => props.onChange(props.iterations[event.currentTarget.valueAsNumber])}
        />
        <output>{props.iteration}</output>
      </label>
      <Show when={!props.isLatest}>
        <Button size="small" onClick={() => props.onChange(undefined)}>
          Show latest
        </Button>
      </Show>
    </>
  );
}
