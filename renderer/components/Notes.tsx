import { Show, type JSX } from 'solid-js';
import { ItemsWithTerms } from './TermCard.tsx';

/** The sentences of notes. */
export function messagesOf(notes: readonly { message: string }[]): string[] {
  return notes.map(({ message }) => message);
}

/** What a careful reader must know of the figure above: one line each, nothing when there is none. */
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
