import type { JSX } from 'solid-js';
import { countOf } from '#shared/number-format.ts';
import { Dialog } from '#renderer/components/Dialog.tsx';
import type { DeletionTarget } from './deletion-plan.ts';
import { DeletionForm } from './DeletionForm.tsx';

interface DeleteDialogProps {
  /** What to delete; null closes the dialog. */
  targets: readonly DeletionTarget[] | null;
  onClose: () => void;
  /** Experiments that are gone now, as it becomes known. */
  onGone: (experimentIds: readonly string[]) => void;
}

/**
 * Says what a deletion would remove, asks, deletes, and says what became of it. Stays open, with all that
 * was typed, when the service fails.
 */
export function DeleteDialog(props: DeleteDialogProps): JSX.Element {
  return (
    <Dialog
      title={titleOf(props.targets ?? [])}
      open={props.targets !== null}
      onClose={() => props.onClose()}
    >
      <DeletionForm
        targets={props.targets ?? []}
        onClose={() => props.onClose()}
        onGone={(ids) => props.onGone(ids)}
      />
    </Dialog>
  );
}

function titleOf(targets: readonly DeletionTarget[]): string {
  const [first] = targets;
  return targets.length === 1 && first
    ? `Delete experiment ${first.name}`
    : `Delete ${countOf(targets.length, 'experiment')}`;
}
