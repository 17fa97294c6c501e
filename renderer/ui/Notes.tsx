import { Show, type JSX } from 'solid-js';
import { ItemsWithTerms } from './TermCard.tsx';

/** Returns the sentences of notes. */
export function getMessages(notes: readonly { message: string }[]): string[] {
  return notes.map(({ message }) => message);
}

/** Notes about the chart or table above, one line each; nothing when there are none. */
export function Notes(props: { notes: readonly string[] }): JSX.Element {
  return (
    <Show when={props.notes.length > 0}>
      <div class="notes">
        <span class="notes-label">{props.notes.length === 1 ? 'Note' : 'Notes'}</span>
        <ul>
          <ItemsWithTerms texts={props.notes} />
        </ul>
      </div>
    </Show>
  );
}
