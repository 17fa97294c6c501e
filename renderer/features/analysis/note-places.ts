import type { AnalysisNote, NoteCode } from '#shared/schemas/analysis-note.ts';

/** Part of a page that a note qualifies. */
export type NotePlace =
  'target' | 'general' | 'success' | 'sample' | 'groups' | 'pairs' | 'ranks' | 'profiles';

const places: Readonly<Record<NoteCode, NotePlace>> = {
  NO_TARGET: 'general',
  DIRECTION_FROM_TRACE: 'general',
  DIRECTION_ASSUMED: 'general',
  TARGETS_DIFFER: 'general',
  TARGET_OF_SOME: 'general',
  TARGET_BEYOND_STOPPING: 'target',
  SUGGESTED_TARGETS: 'target',
  NO_RUNS: 'general',
  NO_SUCH_RUNS: 'general',
  OTHER_INSTANCES: 'general',
  GENERATION_RESOLUTION: 'success',
  IMPORTED_RESOLUTION: 'success',
  RUN_IDS_REPEATED: 'general',
  RUNS_ACTIVE: 'success',
  RUNS_WITHOUT_DATA: 'success',
  RUNS_NOT_COMPLETED: 'sample',
  NOT_FINITE: 'sample',
  INFINITE_FITNESS: 'sample',
  SMALL_SAMPLE: 'sample',
  POOLED_CONFIGURATIONS: 'groups',
  UNEQUAL_BUDGETS: 'pairs',
  BUDGETS_UNKNOWN: 'pairs',
  SMALL_SAMPLES: 'pairs',
  GROUPS_WITHOUT_COMPLETED_RUNS: 'ranks',
  TESTED_WITHIN_ALGORITHMS: 'pairs',
  PAIRS_LEFT_OUT: 'pairs',
  INSTANCE_PAIRS_LEFT_OUT: 'general',
  SEEDS_AS_BLOCKS: 'ranks',
  INSTANCES_AS_BLOCKS: 'ranks',
  DIRECTIONS_DIFFER: 'ranks',
  NO_BLOCKS: 'ranks',
  INSTANCES_WITHOUT_TARGET: 'general',
  INSTANCES_NOT_COMPARED: 'general',
  GROUP_LACKS_INSTANCES: 'ranks',
  FEW_SHARED_INSTANCES: 'ranks',
  POOLED_ON_INSTANCES: 'groups',
  PARAMETERS_VARY_TOGETHER: 'general',
  RUNS_OF_INSTANCES: 'general',
  RUNS_OF_DIRECTIONS: 'general',
  RUNS_OF_TARGETS: 'success',
  RUNS_GO_ON: 'sample',
  RUNS_WITHOUT_TRACE: 'sample',
  RUNS_WITHOUT_TIMES: 'sample',
  RUNS_RESUMED: 'sample',
  PARAMETERS_LEFT_OUT: 'groups',
  DIMENSION_UNKNOWN: 'profiles',
  TRIALS_REPEATED: 'general',
  TRIALS_FAILED: 'success',
  TRIALS_FAILED_UNSOLVED: 'success',
  TRIALS_FAILED_EXCLUDED: 'success',
  TRIALS_WITHOUT_TRACE: 'success',
  CELLS_DROPPED: 'groups',
  CELLS_UNSOLVED: 'groups',
  CELLS_DIFFER: 'groups',
  NO_SHARED_CELLS: 'groups',
  CAMPAIGN_RUNNING: 'pairs',
  OPTIMIZERS_NOT_TESTED: 'pairs',
  TRIALS_OF_TARGETS: 'general',
  TRIALS_STOPPED_AT_TARGET: 'success',
  NO_REFERENCE: 'general',
  BEST_AS_REFERENCE: 'general',
  DOUBTFUL_REFERENCES: 'general',
  SIMULATED_RESTARTS: 'profiles',
};

/** Returns the sentences of the notes for any of these parts, in their order. */
export function getNotesAt(
  notes: readonly AnalysisNote[],
  ...shownAt: readonly NotePlace[]
): string[] {
  return notes.filter(({ code }) => shownAt.includes(places[code])).map(({ message }) => message);
}
