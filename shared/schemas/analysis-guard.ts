import * as z from 'zod';
import { budgetSources, effectsOfInterest, omissionCodes, untestedCodes } from '#shared/words.ts';
import { makeWordFilterWithDefault, nullableNumber } from './common.ts';

/** Query parameters that select the runs in the tests of a comparison. */
export const sampleQuery = {
  failed: makeWordFilterWithDefault(['include', 'exclude']).describe(
    'FAILED runs: `include` counts them as failures of the algorithm, `exclude` excludes them from the tests',
  ),
  stopped: makeWordFilterWithDefault(['include', 'exclude']).describe(
    'STOPPED runs: `include` includes them in the tests, `exclude` excludes them, which makes the comparison exploratory',
  ),
  silent: makeWordFilterWithDefault(['running', 'failed']).describe(
    'RUNNING runs that have written nothing for a long time: `running` counts them as RUNNING, `failed` as FAILED',
  ),
};

/** Query parameters that select the runs in the tests, and the effect for the number of required runs. */
export const guardQuery = {
  ...sampleQuery,
  effect: makeWordFilterWithDefault(effectsOfInterest).describe(
    'Smallest A12 of interest, for the number of runs that an undecided pair requires',
  ),
};

const omission = z
  .object({
    group: z.string(),
    code: z.enum(omissionCodes),
    runs: z.int(),
  })
  .meta({ id: 'Omission', description: 'Runs of a group that the test of a pair omits' });

/** Number of runs that the groups of an undecided pair need. */
const runsNeeded = z
  .object({
    effect: z.number().meta({ description: 'Smallest A12 of interest' }),
    power: z.number(),
    perGroup: z.int().meta({ description: 'Number of runs that each group needs (Noether 1987)' }),
    further: z.int().meta({ description: 'Number of these runs that the smaller group lacks' }),
    perGroupForSuccess: z.int().nullable().meta({
      description:
        'Number of runs for success rates that differ by the same effect (`effect` against 1 − `effect`), by the power of Fisher’s exact test; null without a target',
    }),
  })
  .meta({ id: 'RunsNeeded' });
export type RunsNeeded = z.infer<typeof runsNeeded>;

/** The runs of a pair that the tests include, with the budget and the result. */
export const guardedPair = z
  .object({
    a: z.string(),
    b: z.string(),
    isTested: z.boolean(),
    reason: z
      .object({ code: z.enum(untestedCodes), message: z.string() })
      .nullable()
      .meta({ description: 'Reason why there is no test of the pair; null if there is one' }),
    commonBudget: nullableNumber.meta({
      description:
        'Common budget of the pair in evaluations; null if a group has no runs for tests',
    }),
    budgetSource: z.enum(budgetSources).nullable(),
    assumesEqualBudgets: z.boolean().meta({
      description:
        'Whether the budget of a run is unknown: the run ended without failing, missed the target or has none, and states neither granted nor used evaluations. The test then assumes equal budgets',
    }),
    unit: z
      .enum(['run', 'configuration'])
      .meta({ description: 'The units that the test permutes' }),
    runsA: z.int().meta({ description: 'Number of runs of A in the test; 0 without a test' }),
    runsB: z.int(),
    solvedA: z.int().nullable().meta({
      description:
        'Number of runs of A in the test that reached the target within the budget; null without a target',
    }),
    solvedB: z.int().nullable(),
    configurationsA: z.int(),
    configurationsB: z.int(),
    pValue: nullableNumber.meta({
      description: 'p-value of the pair over its measures (min-p permutation); null without a test',
    }),
    adjustedPValue: nullableNumber.meta({
      description: '`pValue` with Holm adjustment over the tested pairs',
    }),
    omitted: z.array(omission),
    runsNeeded: runsNeeded.nullable().meta({
      description:
        'Required runs of a pair whose test permutes runs and claims no difference; null for other pairs',
    }),
    text: z.string().meta({
      description:
        'Explains the data of the comparison of the pair, or why there is no test of the pair',
    }),
  })
  .meta({ id: 'GuardedPair' });
export type GuardedPairDetail = z.infer<typeof guardedPair>;

/** The runs that the tests include, and the conditions of the claims. */
export const guardedSamples = z
  .object({
    isInterim: z.boolean().meta({
      description:
        'Whether a run of the groups is RUNNING: then pages show tests, but claim no difference',
    }),
    isExploratory: z.boolean().meta({
      description:
        'Whether the tests exclude STOPPED runs, or the target is a suggestion from these data',
    }),
    failed: z.enum(['include', 'exclude']),
    stopped: z.enum(['include', 'exclude']),
    silent: z.enum(['running', 'failed']),
    heading: z
      .string()
      .meta({ description: 'The conditions under which the claims hold; may be empty' }),
    notes: z.array(z.string()).meta({
      description:
        'Sentences on runs that count as failures, that the tests omit, that have no start time, or that are silent and count as FAILED',
    }),
    hasFailed: z.boolean().meta({ description: 'Whether a run of the groups counts as FAILED' }),
    hasStopped: z.boolean().meta({ description: 'Whether a group has STOPPED runs' }),
    silentRuns: z.array(z.object({ group: z.string(), runId: z.string() })),
  })
  .meta({ id: 'GuardedSamples' });
export type GuardedSamples = z.infer<typeof guardedSamples>;

/** The runs that the tests of a comparison include, with all pairs. */
export const guard = guardedSamples
  .extend({
    effect: z.number(),
    commonBudget: nullableNumber.meta({
      description:
        'The smallest common budget of the tested pairs; null without such pairs. `atCommonBudget` summarises the groups of these pairs',
    }),
    text: z.string().meta({
      description:
        'The budgets within which the tests compare the pairs; empty without a tested pair',
    }),
    pairs: z.array(guardedPair),
  })
  .meta({ id: 'Guard' });
export type Guard = z.infer<typeof guard>;
