import type { Accessor, JSX } from 'solid-js';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

const names = { all: 'All runs', solved: 'Solved only' } as const;

/** Runs included in an ECDF. */
type EcdfChoice = keyof typeof names;

/** Returns the runs included in the ECDFs according to the URL, and the setter. */
export function createEcdfChoice(): [Accessor<EcdfChoice>, (choice: EcdfChoice) => void] {
  return createUrlSignal('ecdf', asChoice(['all', 'solved'], 'all'));
}

/** Choice between all runs and the solved ones. */
export function EcdfControls(): JSX.Element {
  const [chosen, choose] = createEcdfChoice();
  return <ChoiceButtons labels={names} chosen={chosen()} onChoose={choose} />;
}
