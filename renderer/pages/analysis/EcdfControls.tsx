import type { Accessor, JSX } from 'solid-js';
import { ChoiceButtons } from '#renderer/components/ChoiceButtons.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

const names = { all: 'All runs', solved: 'Solved only' } as const;

/** Which runs an ECDF counts. */
type EcdfChoice = keyof typeof names;

/** The runs that the ECDFs count by the URL, and the choice of others. */
export function createEcdfChoice(): [Accessor<EcdfChoice>, (choice: EcdfChoice) => void] {
  return createUrlSignal('ecdf', asChoice(['all', 'solved'], 'all'));
}

/** All runs or only the solved ones. */
export function EcdfControls(): JSX.Element {
  const [chosen, choose] = createEcdfChoice();
  return <ChoiceButtons labels={names} chosen={chosen()} onChoose={choose} />;
}
