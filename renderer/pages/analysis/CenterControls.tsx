import { useSearchParams } from '@solidjs/router';
import { createMemo, For, type Accessor, type JSX } from 'solid-js';
import type { Center } from '#renderer/charts/figures/convergence.ts';
import { Button } from '#renderer/components/Button.tsx';
import { urlText } from '#renderer/components/explorer/list-view.ts';

/** The middle of the runs that the URL asks for. */
export function createCenter(): Accessor<Center> {
  const [search] = useSearchParams();
  return createMemo(() => (urlText(search, 'center') === 'median' ? 'median' : 'mean'));
}

/** Whether the URL asks for the single runs. */
export function createTracesShown(): Accessor<boolean> {
  const [search] = useSearchParams();
  return createMemo(() => urlText(search, 'traces') === 'shown');
}

/** The switch for single runs. */
export interface TracesControl {
  isShown: boolean;
  isLoading: boolean;
  /** Why they cannot be shown; undefined when they can. */
  refusal: string | undefined;
}

/** Mean or median, and the single runs behind it. */
export function CenterControls(props: { center: Center; traces: TracesControl }): JSX.Element {
  const [, setSearch] = useSearchParams();
  const names = { mean: 'Mean', median: 'Median' } as const;
  return (
    <>
      <For each={['mean', 'median'] as const}>
        {(center) => (
          <Button
            size="small"
            pressed={props.center === center}
            onClick={() =>
              setSearch({ center: center === 'mean' ? undefined : center }, { replace: true })
            }
          >
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
        onClick={() =>
          setSearch({ traces: props.traces.isShown ? undefined : 'shown' }, { replace: true })
        }
      >
        Runs
      </Button>
    </>
  );
}
