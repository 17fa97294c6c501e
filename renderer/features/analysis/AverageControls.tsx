import { createMemo, Show, type Accessor, type JSX } from 'solid-js';
import {
  usualAverage,
  type Average,
  type ConvergenceGroup,
} from '#renderer/charts/figures/convergence.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { CompareButton } from '#renderer/features/runs/CompareButton.tsx';
import type { GroupTraces } from './run-traces.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

const names = { mean: 'Mean', median: 'Median' } as const;

type AverageChoice = [Accessor<Average>, (average: Average) => void];

/** Returns the average in the URL, else the suitable one for the runs, and the setter. */
export function createAverage(
  groups: Accessor<readonly Pick<ConvergenceGroup, 'points' | 'box'>[]>,
  targetFitness: Accessor<number | null>,
): AverageChoice {
  const [chosen, setChosen] = createUrlSignal('average', asChoice(['mean', 'median'], undefined));
  const usual = createMemo(() => usualAverage(groups(), targetFitness()));
  const average = createMemo(() => chosen() ?? usual());
  const choose = (next: Average): void => setChosen(next === usual() ? undefined : next);
  return [average, choose];
}

/** Choice of mean or median, and of the single runs behind it, with a button that compares them. */
export function AverageControls(props: {
  average: AverageChoice;
  traces: GroupTraces;
}): JSX.Element {
  return (
    <>
      <ChoiceButtons labels={names} chosen={props.average[0]()} onChoose={props.average[1]} />
      <Button
        size="small"
        pressed={props.traces.isShown()}
        disabledReason={props.traces.refusal()}
        title="Show individual runs behind the average"
        aria-busy={props.traces.isLoading()}
        onClick={() => props.traces.show(!props.traces.isShown())}
      >
        Runs
      </Button>
      <Show when={props.traces.isShown() && props.traces.runIds().length > 0}>
        <CompareButton size="small" which="drawn" runIds={props.traces.runIds()} />
      </Show>
    </>
  );
}
