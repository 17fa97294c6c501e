import * as z from 'zod';

/** The stable codes of all notes; `server/analysis/notes.ts` contains their sentences. */
export const noteCodes = [
  'NO_TARGET',
  'GENERATION_RESOLUTION',
  'IMPORTED_RESOLUTION',
  'DIRECTION_FROM_TRACE',
  'DIRECTION_ASSUMED',
  'DIRECTIONS_DIFFER',
  'TARGETS_DIFFER',
  'TARGET_OF_SOME',
  'TARGET_BEYOND_STOPPING',
  'SUGGESTED_TARGETS',
  'NO_RUNS',
  'NO_SUCH_RUNS',
  'RUN_IDS_REPEATED',
  'RUNS_ACTIVE',
  'RUNS_WITHOUT_DATA',
  'RUNS_NOT_COMPLETED',
  'NOT_FINITE',
  'INFINITE_FITNESS',
  'SMALL_SAMPLE',
  'SMALL_SAMPLES',
  'DIMENSION_UNKNOWN',
  'OTHER_INSTANCES',
  'POOLED_CONFIGURATIONS',
  'GROUPS_WITHOUT_COMPLETED_RUNS',
  'TESTED_WITHIN_ALGORITHMS',
  'PAIRS_LEFT_OUT',
  'INSTANCE_PAIRS_LEFT_OUT',
  'UNEQUAL_BUDGETS',
  'BUDGETS_UNKNOWN',
  'SEEDS_AS_BLOCKS',
  'INSTANCES_AS_BLOCKS',
  'NO_BLOCKS',
  'INSTANCES_WITHOUT_TARGET',
  'INSTANCES_NOT_COMPARED',
  'GROUP_LACKS_INSTANCES',
  'FEW_SHARED_INSTANCES',
  'POOLED_ON_INSTANCES',
  'PARAMETERS_VARY_TOGETHER',
  'RUNS_OF_INSTANCES',
  'RUNS_OF_DIRECTIONS',
  'RUNS_OF_TARGETS',
  'RUNS_GO_ON',
  'RUNS_WITHOUT_TRACE',
  'RUNS_WITHOUT_TIMES',
  'RUNS_RESUMED',
  'PARAMETERS_LEFT_OUT',
  'TRIALS_REPEATED',
  'TRIALS_FAILED',
  'TRIALS_FAILED_UNSOLVED',
  'TRIALS_FAILED_EXCLUDED',
  'TRIALS_WITHOUT_TRACE',
  'CELLS_DROPPED',
  'CELLS_UNSOLVED',
  'CELLS_DIFFER',
  'NO_SHARED_CELLS',
  'CAMPAIGN_RUNNING',
  'OPTIMIZERS_NOT_TESTED',
  'TRIALS_OF_TARGETS',
  'TARGETS_FROM_DATA',
  'TRIALS_STOPPED_AT_TARGET',
  'NO_REFERENCE',
  'BEST_AS_REFERENCE',
  'DOUBTFUL_REFERENCES',
  'SIMULATED_RESTARTS',
] as const;
/** Code of a note of an analysis. */
export type NoteCode = (typeof noteCodes)[number];

/** A note about the values of an analysis: a fact that readers must consider. */
export const analysisNote = z
  .object({
    code: z.enum(noteCodes),
    message: z.string(),
    values: z.array(z.number()).optional().meta({
      description:
        'Suggested targets of the note SUGGESTED_TARGETS: each is a valid value of `target`',
    }),
  })
  .meta({ id: 'AnalysisNote' });
export type AnalysisNote = z.infer<typeof analysisNote>;
