import { Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { question } from './opening.ts';

/** Asks before a database is made, added to or replaced. What replaces is never the button that Enter presses. */
export function DatabaseQuestion(): JSX.Element {
  return (
    <Dialog
      title={question()?.title ?? ''}
      open={question() !== null}
      onClose={() => question()?.answer(false)}
    >
      <Show when={question()}>
        {(asked) => (
          <div class="dialog-form">
            <p>{asked().detail}</p>
            <div class="dialog-foot">
              <Button autofocus={asked().replaces} onClick={() => asked().answer(false)}>
                Cancel
              </Button>
              <Button
                autofocus={!asked().replaces}
                kind={asked().replaces ? 'danger' : 'primary'}
                onClick={() => asked().answer(true)}
              >
                {asked().allow}
              </Button>
            </div>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
