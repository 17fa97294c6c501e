import type { JSX } from 'solid-js';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { Button } from '#renderer/components/Button.tsx';
import { experimentName } from '#renderer/components/experiment-name.ts';
import { StopCell } from '#renderer/components/stop/StopCell.tsx';

interface ExperimentActionsProps {
  experiment: ExperimentItem;
  tabIndex: number;
  /** Why nothing can be changed; undefined when it can. */
  disabledReason: string | undefined;
  onStop: (experiments: readonly ExperimentItem[]) => void;
  onDelete: (experiments: readonly ExperimentItem[]) => void;
}

/** Stop and Delete of one row. */
export function ExperimentActions(props: ExperimentActionsProps): JSX.Element {
  const name = (): string => experimentName(props.experiment);
  return (
    <span class="row-actions">
      <StopCell
        target={{ kind: 'experiment', id: props.experiment.experimentId, name: name() }}
        status={props.experiment.status}
        tabIndex={props.tabIndex}
        disabledReason={props.disabledReason}
        onStop={() => props.onStop([props.experiment])}
      />
      <Button
        size="small"
        tabIndex={props.tabIndex}
        disabledReason={props.disabledReason}
        aria-label={`Delete ${name()}`}
        onClick={() => props.onDelete([props.experiment])}
      >
        Delete
      </Button>
    </span>
  );
}
