import { useNavigate } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { fewestComparedRuns, maximumComparedRuns } from '#shared/words.ts';
import { comparePath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { Button } from './Button.tsx';

/** Lays the selected runs over each other; says why where there are too few or too many. */
export function CompareButton(props: { runIds: readonly string[] }): JSX.Element {
  const navigate = useNavigate();
  const compare = (): void => navigate(comparePath(props.runIds));
  const reason = (): string | undefined => {
    const count = props.runIds.length;
    if (count < fewestComparedRuns) return 'Select another run: one alone has nothing beside it.';
    if (count <= maximumComparedRuns) return undefined;
    return `At most ${maximumComparedRuns} runs can be told apart; ${count} are selected.`;
  };
  useCommands([
    {
      description: 'Compare the selected runs',
      run: compare,
      isPossible: () => reason() === undefined,
    },
  ]);
  return (
    <Button kind="primary" disabledReason={reason()} onClick={compare}>
      Compare
    </Button>
  );
}
