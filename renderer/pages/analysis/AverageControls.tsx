import { For, Show, type Accessor, type JSX } from 'solid-js';
import type { Average } from '#renderer/charts/figures/convergence.ts';
import { Button } from '#renderer/components/Button.tsx';
import { CompareButton } from '#renderer/components/CompareButton.tsx';
import { asChoice, asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** The average of the runs that the URL asks for, and the choice of the other. */
export function createAverage(): [Accessor<Average>, (average: Average) => void] {
  return createUrlSignal('average', asChoice(['mean', 'median'], 'mean'));
}

/** Whether the URL asks for the single runs, and the switch for them. */
export function createTracesShown(): [Accessor<boolean>, (isShown: boolean) => void] {
  return createUrlSignal('traces', asFlag('shown'));
}

/** The switch for single runs. */
export interface TracesControl {
  isShown: boolean;
  isLoading: boolean;
  /** Why they cannot be shown; undefined when they can. */
  refusal: string | undefined;
  /** Those that are drawn. */
  runIds: readonly string[];
}

/** Mean or median, and the single runs behind it, from which a comparison of them begins. */
export function AverageControls(props: { traces: TracesControl }): JSX.Element {
  const [chosen, choose] = createAverage();
  const [, showTraces] = createTracesShown();
  const names = { mean: 'Mean', median: 'Median' } as const;
  return (
    <>
      <For each={['mean', 'median'] as const}>
        {(average) => (
          <Button size="small" pressed={chosen() === average} onClick={() => choose(average)}>
            {names[average]}
          </Button>
        )}
      </For>
      <Button
        size="small"
        pressed={props.traces.isShown}
        disabledReason={props.traces.refusal}
        title="Each run by itself, behind the others"
        aria-busy={props.traces.isLoading}
        onClick={() => showTraces(!props.traces.isShown)}
      >
        Runs
      </Button>
      <Show when={props.traces.isShown && props.traces.runIds.length > 0}>
        <CompareButton size="small" which="drawn" runIds={props.traces.runIds} />
      </Show>
    </>
  );
}
