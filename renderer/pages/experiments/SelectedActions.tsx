import type { JSX } from 'solid-js';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { isRunning } from '#shared/words.ts';
import { Button } from '#renderer/components/Button.tsx';

interface SelectedActionsProps {
  selected: readonly ExperimentItem[];
  /** Why nothing can be changed; undefined when it can. */
  disabledReason: string | undefined;
  onStop: (experiments: readonly ExperimentItem[]) => void;
  onDelete: (experiments: readonly ExperimentItem[]) => void;
}

/** Stop and Delete of all that is selected, on other pages too. */
export function SelectedActions(props: SelectedActionsProps): JSX.Element {
  const running = () => props.selected.filter(isRunning);
  return (
    <>
      <Button
        disabledReason={props.disabledReason ?? reasonNotToStop(running().length)}
        onClick={() => props.onStop(running())}
      >
        Stop selected
      </Button>
      <Button
        kind="danger"
        disabledReason={props.disabledReason}
        onClick={() => props.onDelete(props.selected)}
      >
        Delete selected
      </Button>
    </>
  );
}

function reasonNotToStop(running: number): string | undefined {
  return running === 0 ? 'None of the selected experiments has a RUNNING run.' : undefined;
}
