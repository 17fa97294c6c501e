import { createSignal, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { NotesDialog, type NotesSubject } from './NotesDialog.tsx';

interface NotesButtonProps {
  subject: NotesSubject;
  /** Only a pencil, for the row of a table; 0 in the row that has the keyboard, else −1. */
  tabIndex?: 0 | -1;
}

/** Opens the display name, tags, note and baseline mark of a run, an experiment or an algorithm. */
export function NotesButton(props: NotesButtonProps): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      {props.tabIndex === undefined ? (
        <Button icon="pencil" onClick={() => setOpen(true)}>
          Edit notes
        </Button>
      ) : (
        <button
          type="button"
          class="icon-button icon-button-small notes-pencil"
          aria-label={`Edit notes on ${props.subject.name}`}
          title="Edit name, tags and note"
          tabIndex={props.tabIndex}
          onClick={() => setOpen(true)}
        >
          <Icon name="pencil" size={12} />
        </button>
      )}
      <NotesDialog subject={props.subject} open={isOpen()} onClose={() => setOpen(false)} />
    </>
  );
}
