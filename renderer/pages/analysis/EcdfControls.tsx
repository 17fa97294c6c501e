import { For, type Accessor, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
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
  return (
    <For each={['all', 'solved'] as const}>
      {(choice) => (
        <Button size="small" pressed={chosen() === choice} onClick={() => choose(choice)}>
          {names[choice]}
        </Button>
      )}
    </For>
  );
}
