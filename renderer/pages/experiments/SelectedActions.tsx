import type { JSX } from 'solid-js';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
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
  const running = () => props.selected.filter(({ status }) => status === 'RUNNING');
  return (
    <>
      <Button
        disabled={props.disabledReason !== undefined || running().length === 0}
        title={props.disabledReason ?? stopHint(running().length)}
        onClick={() => props.onStop(running())}
      >
        Stop selected
      </Button>
      <Button
        kind="danger"
        disabled={props.disabledReason !== undefined}
        title={props.disabledReason}
        onClick={() => props.onDelete(props.selected)}
      >
        Delete selected
      </Button>
    </>
  );
}

function stopHint(running: number): string {
  return running === 0
    ? 'None of the selected experiments has a RUNNING run.'
    : `${running} of the selected experiments ${running === 1 ? 'has' : 'have'} a RUNNING run.`;
}
