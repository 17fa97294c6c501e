import { Show, type JSX } from 'solid-js';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { Notes } from '#renderer/components/Notes.tsx';
import { notesAt } from './note-places.ts';

/** What must be known of all figures of a page, above them; nothing when there is nothing. */
export function GeneralNotes(props: { notes: readonly AnalysisNote[] }): JSX.Element {
  const notes = (): string[] => notesAt(props.notes, 'general');
  return (
    <Show when={notes().length > 0}>
      <div class="analysis-notes">
        <Notes notes={notes()} />
      </div>
    </Show>
  );
}
