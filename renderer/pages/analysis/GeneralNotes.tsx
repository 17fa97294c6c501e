import type { JSX } from 'solid-js';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { Notes } from '#renderer/components/Notes.tsx';
import { notesAt } from './note-places.ts';

/** What must be known of all figures of a page, above them; nothing when there is nothing. */
export function GeneralNotes(props: { notes: readonly AnalysisNote[] }): JSX.Element {
  return <Notes notes={notesAt(props.notes, 'general')} />;
}
