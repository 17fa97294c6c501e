import { createSignal, splitProps, type ComponentProps, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { type DeletionTarget, titleOf } from '#renderer/components/targets.ts';
import { DeletionForm } from './DeletionForm.tsx';

interface DeletionQuestion {
  targets: readonly DeletionTarget[];
  /** Hears of the ids that are gone now, as it becomes known. */
  onGone: (ids: readonly string[]) => void;
}

const [asked, setAsked] = createSignal<DeletionQuestion | null>(null);

/**
 * Says what a deletion would remove, asks, deletes, and says what became of it. Stays open, with all that
 * was typed, when the service fails.
 */
export function DeleteDialog(): JSX.Element {
  const close = (): void => void setAsked(null);
  useLeave(close);
  return (
    <Dialog
      title={titleOf('Delete', asked()?.targets ?? [])}
      open={asked() !== null}
      onClose={close}
    >
      <DeletionForm
        targets={asked()?.targets ?? []}
        onClose={close}
        onGone={asked()?.onGone ?? (() => undefined)}
      />
    </Dialog>
  );
}

type DeleteButtonProps = Omit<ComponentProps<typeof Button>, 'onClick'> & DeletionQuestion;

/** Asks whether to delete these; says why where the database allows no change. */
export function DeleteButton(props: DeleteButtonProps): JSX.Element {
  const readOnly = useReadOnlyReason();
  const [question, rest] = splitProps(props, ['targets', 'onGone']);
  return (
    <Button
      {...rest}
      disabledReason={readOnly()}
      onClick={() => setAsked({ targets: question.targets, onGone: question.onGone })}
    />
  );
}
