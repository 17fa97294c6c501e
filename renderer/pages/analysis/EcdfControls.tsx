import { useSearchParams } from '@solidjs/router';
import { createMemo, For, type Accessor, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { urlText } from '#renderer/components/explorer/list-view.ts';

/** Which runs an ECDF counts. */
export type EcdfChoice = 'all' | 'solved';

/** The runs that the URL asks the ECDFs to count. */
export function createEcdfChoice(): Accessor<EcdfChoice> {
  const [search] = useSearchParams();
  return createMemo(() => (urlText(search, 'ecdf') === 'solved' ? 'solved' : 'all'));
}

/** All runs or only the solved ones. */
export function EcdfControls(props: { choice: EcdfChoice }): JSX.Element {
  const [, setSearch] = useSearchParams();
  const names = { all: 'All runs', solved: 'Solved only' } as const;
  return (
    <For each={['all', 'solved'] as const}>
      {(choice) => (
        <Button
          size="small"
          pressed={props.choice === choice}
          onClick={() =>
            setSearch({ ecdf: choice === 'all' ? undefined : choice }, { replace: true })
          }
        >
          {names[choice]}
        </Button>
      )}
    </For>
  );
}
