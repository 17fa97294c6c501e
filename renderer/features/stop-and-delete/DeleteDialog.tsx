import { createSignal, splitProps, type ComponentProps, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { useReadOnlyReason } from './read-only.ts';
import { type DeletionTarget, getTitle } from './targets.ts';
import { DeletionForm } from './DeletionForm.tsx';

interface DeletionQuestion {
  targets: readonly DeletionTarget[];
  /** Receives the ids that no longer exist, as soon as they are known. */
  onDeleted: (ids: readonly string[]) => void;
}

const [question, setQuestion] = createSignal<DeletionQuestion | null>(null);

/**
 * Lists what a deletion removes, asks for confirmation, deletes, and reports the result. Stays open with the typed text
 * when the service fails.
 */
export function DeleteDialog(): JSX.Element {
  const close = (): void => void setQuestion(null);
  useLeave(close);
  return (
    <Dialog
      title={getTitle('Delete', question()?.targets ?? [])}
      open={question() !== null}
      onClose={close}
    >
      <DeletionForm
        targets={question()?.targets ?? []}
        onClose={close}
        onDeleted={question()?.onDeleted ?? (() => undefined)}
      />
    </Dialog>
  );
}

type DeleteButtonProps = Omit<ComponentProps<typeof Button>, 'onClick'> & DeletionQuestion;

/** Button that opens the deletion dialog; disabled with a reason where the database is read-only. */
export function DeleteButton(props: DeleteButtonProps): JSX.Element {
  const readOnly = useReadOnlyReason();
  const [own, rest] = splitProps(props, ['targets', 'onDeleted']);
  return (
    <Button
      {...rest}
      disabledReason={readOnly()}
      onClick={() => setQuestion({ targets: own.targets, onDeleted: own.onDeleted })}
    />
  );
}
