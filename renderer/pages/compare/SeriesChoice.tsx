import { createMemo, For, Show, type JSX } from 'solid-js';
import type { TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import { maximumOverlaidSeries } from '#shared/words.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';
import { toggleValue } from '#renderer/state/toggle-value.ts';
import { getSeriesName } from './series-names.ts';

interface SeriesChoiceProps {
  /** The available series; undefined until they are loaded. */
  keys: TelemetryOverlay['keys'] | undefined;
  runCount: number;
  selection: readonly string[];
  onChange: (selection: readonly string[]) => void;
}

/** A choice of stored series to draw: "Series Unique genotypes ▾". */
export function SeriesChoice(props: SeriesChoiceProps): JSX.Element {
  const summary = (): string => {
    if (props.selection.length === 0) return 'none';
    return props.selection.map((key) => getSeriesName(key).title).join(', ');
  };
  // Series with a name first; otherwise in their order.
  const keys = createMemo(() =>
    (props.keys ?? [])
      .map(({ key }) => key)
      .toSorted(
        (a, b) => Number(getSeriesName(a).isKey ?? false) - Number(getSeriesName(b).isKey ?? false),
      ),
  );
  const toggle = (key: string): void => props.onChange(toggleValue(props.selection, key));
  const reason = (key: string): string | undefined =>
    props.selection.length >= maximumOverlaidSeries && !props.selection.includes(key)
      ? `At most ${maximumOverlaidSeries} series at once.`
      : undefined;
  return (
    <PopoverFilter label="Series" summary={summary()} onClear={() => props.onChange([])}>
      <Show when={props.keys?.length !== 0} fallback={<p>These runs have no stored series.</p>}>
        <ul class="choice-list">
          <For each={keys()}>
            {(key) => (
              <li>
                <Check
                  checked={props.selection.includes(key)}
                  disabledReason={reason(key)}
                  onChange={() => toggle(key)}
                >
                  <span classList={{ mono: getSeriesName(key).isKey === true }}>
                    {getSeriesName(key).title}
                  </span>
                  <SharedBy keys={props.keys} name={key} runCount={props.runCount} />
                </Check>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </PopoverFilter>
  );
}

/** Number of runs that have a series, unless all do. */
function SharedBy(props: {
  keys: TelemetryOverlay['keys'] | undefined;
  name: string;
  runCount: number;
}): JSX.Element {
  const runs = (): number => props.keys?.find(({ key }) => key === props.name)?.runs ?? 0;
  return (
    <Show when={runs() < props.runCount}>
      <small class="muted">
        {' '}
        {runs()} of {props.runCount} runs
      </small>
    </Show>
  );
}
