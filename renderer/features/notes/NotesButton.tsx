import { createSignal, type JSX } from 'solid-js';
import { Icon } from '#renderer/ui/Icon.tsx';
import { NotesDialog, type NotesSubject } from './NotesDialog.tsx';

interface NotesButtonProps {
  subject: NotesSubject;
  /** For the row of a table, where it is smaller: 0 in the row that has the keyboard, else −1. */
  tabIndex?: 0 | -1;
}

/** A pencil that opens the display name, tags, note and baseline mark of a run, an experiment or an algorithm. */
export function NotesButton(props: NotesButtonProps): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      {props.tabIndex === undefined ? (
        <button
          type="button"
          class="icon-button"
          aria-label="Edit notes"
          title="Edit name, tags and note"
          onClick={() => setOpen(true)}
        >
          <Icon name="pencil" size={14} />
        </button>
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
