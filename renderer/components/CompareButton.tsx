import { useNavigate } from '@solidjs/router';
import { splitProps, type ComponentProps, type JSX } from 'solid-js';
import { fewestComparedRuns, maximumComparedRuns } from '#shared/words.ts';
import { comparePath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { Button } from './Button.tsx';

interface CompareButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  runIds: readonly string[];
  /** Which runs these are: "selected", "shown". */
  which: string;
}

/** Lays runs over each other, by the command palette too; says why where they are too few or too many. */
export function CompareButton(props: CompareButtonProps): JSX.Element {
  const navigate = useNavigate();
  const [own, rest] = splitProps(props, ['runIds', 'which']);
  const compare = (): void => navigate(comparePath(own.runIds));
  const reason = (): string | undefined => {
    const count = own.runIds.length;
    if (count >= fewestComparedRuns && count <= maximumComparedRuns) return undefined;
    return count > maximumComparedRuns
      ? `At most ${maximumComparedRuns} runs can be told apart; ${count} are ${own.which}.`
      : `There must be another run: one alone has nothing beside it.`;
  };
  useCommands([
    {
      get description() {
        return `Compare the ${own.which} runs`;
      },
      run: compare,
      isPossible: () => reason() === undefined,
    },
  ]);
  return (
    <Button {...rest} disabledReason={reason()} onClick={compare}>
      Compare
    </Button>
  );
}
