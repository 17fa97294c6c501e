import { useNavigate } from '@solidjs/router';
import { splitProps, type ComponentProps, type JSX } from 'solid-js';
import { minimumComparedRuns, maximumComparedRuns } from '#shared/words.ts';
import { getComparePath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { Button } from '#renderer/ui/Button.tsx';

interface CompareButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  runIds: readonly string[];
  /** Describes the runs: "selected", "shown". */
  which: string;
}

/** Compares runs, also as a command of the palette; disabled with a reason for too few or too many runs. */
export function CompareButton(props: CompareButtonProps): JSX.Element {
  const navigate = useNavigate();
  const [own, rest] = splitProps(props, ['runIds', 'which']);
  const compare = (): void => navigate(getComparePath(own.runIds));
  const reason = (): string | undefined => {
    const count = own.runIds.length;
    if (count >= minimumComparedRuns && count <= maximumComparedRuns) return undefined;
    return count > maximumComparedRuns
      ? `At most ${maximumComparedRuns} runs can be compared; ${count} are ${own.which}.`
      : `A comparison needs at least two runs.`;
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
