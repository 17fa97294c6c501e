import { For, Show, type JSX } from 'solid-js';
import './run-counters.css';
import { getCounterParts, formatCounters, type RunCounts } from './run-counters.ts';

interface RunCountersProps {
  counts: RunCounts;
  /** Shows each number with its word next to the bar; otherwise they are in the tooltip and for screen readers. */
  detailed?: boolean;
}

/** Runs of an experiment by status as one stacked bar, after their total. */
export function RunCounters(props: RunCountersProps): JSX.Element {
  const text = (): string => formatCounters(props.counts);
  return (
    <span class="run-counters" classList={{ 'run-counters-detailed': props.detailed === true }}>
      <span class="run-counters-bar" aria-hidden="true" title={text()}>
        <For each={getCounterParts(props.counts)}>
          {(part) => (
            <span
              class={`run-counters-part run-counters-${part.word}`}
              style={{ 'flex-grow': part.count }}
            />
          )}
        </For>
      </span>
      <Show
        when={props.detailed}
        fallback={
          <>
            <span class="run-counters-total" aria-hidden="true">
              {props.counts.totalRuns}
            </span>
            <span class="visually-hidden">{text()}</span>
          </>
        }
      >
        <span>{text()}</span>
      </Show>
    </span>
  );
}
