import { For, type Accessor, type JSX } from 'solid-js';
import type { Center } from '#renderer/charts/figures/convergence.ts';
import { Button } from '#renderer/components/Button.tsx';
import { asChoice, asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** The middle of the runs that the URL asks for, and the choice of the other. */
export function createCenter(): [Accessor<Center>, (center: Center) => void] {
  return createUrlSignal('center', asChoice(['mean', 'median'], 'mean'));
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
}

/** Mean or median, and the single runs behind it. */
export function CenterControls(props: { traces: TracesControl }): JSX.Element {
  const [chosen, choose] = createCenter();
  const [, showTraces] = createTracesShown();
  const names = { mean: 'Mean', median: 'Median' } as const;
  return (
    <>
      <For each={['mean', 'median'] as const}>
        {(center) => (
          <Button size="small" pressed={chosen() === center} onClick={() => choose(center)}>
            {names[center]}
          </Button>
        )}
      </For>
      <Button
        size="small"
        pressed={props.traces.isShown}
        disabled={props.traces.refusal !== undefined}
        title={props.traces.refusal ?? 'Each run by itself, behind the others'}
        aria-busy={props.traces.isLoading}
        onClick={() => showTraces(!props.traces.isShown)}
      >
        Runs
      </Button>
    </>
  );
}
