import { Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { question } from './opening.ts';

/**
 * Asks for confirmation before a database is created, extended or replaced. Enter never presses the replacing button.
 */
export function DatabaseQuestion(): JSX.Element {
  return (
    <Dialog
      title={question()?.title ?? ''}
      open={question() !== null}
      onClose={() => question()?.answer(false)}
    >
      <Show when={question()}>
        {(current) => (
          <div class="dialog-form">
            <p>{current().detail}</p>
            <div class="dialog-foot">
              <Button autofocus={current().replaces} onClick={() => current().answer(false)}>
                Cancel
              </Button>
              <Button
                autofocus={!current().replaces}
                kind={current().replaces ? 'danger' : 'primary'}
                onClick={() => current().answer(true)}
              >
                {current().allow}
              </Button>
            </div>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
