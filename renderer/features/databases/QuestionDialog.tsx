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
        {(shown) => (
          <div class="dialog-form">
            <p>{shown().detail}</p>
            <div class="dialog-foot">
              <Button autofocus={shown().replaces} onClick={() => shown().answer(false)}>
                Cancel
              </Button>
              <Button
                autofocus={!shown().replaces}
                kind={shown().replaces ? 'danger' : 'primary'}
                onClick={() => shown().answer(true)}
              >
                {shown().allow}
              </Button>
            </div>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
