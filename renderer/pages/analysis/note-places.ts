import type { AnalysisNote } from '#shared/schemas/analysis.ts';

/** What on a page a note qualifies. */
export type NotePlace =
  'general' | 'success' | 'sample' | 'groups' | 'pairs' | 'ranks' | 'profiles';

const places: Readonly<Record<string, NotePlace>> = {
  GENERATION_RESOLUTION: 'success',
  RUNS_ACTIVE: 'success',
  RUNS_WITHOUT_DATA: 'success',
  RUNS_NOT_COMPLETED: 'sample',
  NOT_FINITE: 'sample',
  SMALL_SAMPLE: 'sample',
  POOLED_CONFIGURATIONS: 'groups',
  UNEQUAL_BUDGETS: 'pairs',
  SMALL_SAMPLES: 'pairs',
  GROUPS_WITHOUT_COMPLETED_RUNS: 'pairs',
  SEEDS_AS_BLOCKS: 'ranks',
  INSTANCES_AS_BLOCKS: 'ranks',
  NO_BLOCKS: 'ranks',
  DIMENSION_UNKNOWN: 'profiles',
};

/**
 * The sentences of the notes that belong to any of these places, in their order; a note whose code is not
 * known is general, so that none is lost.
 */
export function notesAt(notes: readonly AnalysisNote[], ...wanted: readonly NotePlace[]): string[] {
  return notes
    .filter(({ code }) =>
      wanted.includes(Object.hasOwn(places, code) ? (places[code] ?? 'general') : 'general'),
    )
    .map(({ message }) => message);
}
