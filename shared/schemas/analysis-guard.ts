import * as z from 'zod';
import { budgetSources, effectsOfInterest, omissionCodes, untestedCodes } from '#shared/words.ts';
import { firstOrWord, nullableNumber } from './common.ts';

/** Which runs of a comparison its tests include. */
export const sampleQuery = {
  failed: firstOrWord(['include', 'exclude']).describe(
    'FAILED runs: `include` counts them as failures of the algorithm, `exclude` leaves them out',
  ),
  stopped: firstOrWord(['include', 'exclude']).describe(
    'STOPPED runs: `exclude` leaves them out, which makes the comparison exploratory',
  ),
  silent: firstOrWord(['running', 'failed']).describe(
    'RUNNING runs without new rows for a long time: they count as RUNNING until they are settled, or as FAILED',
  ),
};

/** Which runs of a comparison its tests include, and the effect for which the required runs are counted. */
export const guardQuery = {
  ...sampleQuery,
  effect: firstOrWord(effectsOfInterest).describe(
    'Smallest A12 of interest, for the number of runs that an undecided pair needs',
  ),
};

const omission = z
  .object({
    group: z.string(),
    code: z.enum(omissionCodes),
    runs: z.int(),
  })
  .meta({ id: 'Omission', description: 'Runs of a group that are in no test' });

const runsNeeded = z
  .object({
    effect: z.number().meta({ description: 'Smallest A12 of interest' }),
    power: z.number(),
    perGroup: z.int().meta({ description: 'Runs that each group needs (Noether 1987)' }),
    further: z.int().meta({ description: 'Of these, those that the smaller group lacks' }),
    perGroupForSuccess: z.int().nullable().meta({
      description:
        'The same for success rates that differ as much (`effect` against 1 − `effect`), by Fisher’s exact power; null without a target',
    }),
  })
  .meta({ id: 'RunsNeeded' });
export type RunsNeeded = z.infer<typeof runsNeeded>;

export const guardedPair = z
  .object({
    a: z.string(),
    b: z.string(),
    isTested: z.boolean(),
    reason: z
      .object({ code: z.enum(untestedCodes), message: z.string() })
      .nullable()
      .meta({ description: 'Why the pair is not tested; null where it is' }),
    commonBudget: nullableNumber.meta({
      description: 'Evaluations within which the runs are compared; null where a group has none',
    }),
    budgetSource: z.enum(budgetSources).nullable(),
    assumesEqualBudgets: z.boolean().meta({
      description: 'The data of a group do not state how many evaluations its runs used',
    }),
    unit: z.enum(['run', 'configuration']).meta({ description: 'What the test permutes' }),
    runsA: z.int().meta({ description: 'Runs of A in the test' }),
    runsB: z.int(),
    solvedA: z.int().nullable().meta({
      description: 'Of these, how many reached the target within the budget; null without a target',
    }),
    solvedB: z.int().nullable(),
    configurationsA: z.int(),
    configurationsB: z.int(),
    pValue: nullableNumber.meta({
      description: 'Of the pair: min-p over its measures, step-down; null = not tested',
    }),
    adjustedPValue: nullableNumber.meta({ description: 'The same, Holm over the tested pairs' }),
    omitted: z.array(omission),
    runsNeeded: runsNeeded.nullable().meta({ description: 'Of a pair without any claim' }),
    text: z.string().meta({ description: 'What the comparison of the pair rests on' }),
  })
  .meta({ id: 'GuardedPair' });
export type GuardedPairAnswer = z.infer<typeof guardedPair>;

export const guardedSamples = z
  .object({
    isInterim: z.boolean().meta({
      description: 'A run of the groups is RUNNING: tests are shown, and nothing is claimed',
    }),
    isExploratory: z.boolean().meta({
      description:
        'STOPPED runs are left out, or the target is one that is suggested from these data',
    }),
    failed: z.enum(['include', 'exclude']),
    stopped: z.enum(['include', 'exclude']),
    silent: z.enum(['running', 'failed']),
    heading: z.string().meta({ description: 'Under which conditions the claims hold' }),
    notes: z.array(z.string()).meta({ description: 'What was left out of the tests and why' }),
    hasFailed: z.boolean().meta({ description: 'A group has FAILED runs' }),
    hasStopped: z.boolean().meta({ description: 'A group has STOPPED runs' }),
    silentRuns: z.array(z.object({ group: z.string(), runId: z.string() })),
  })
  .meta({ id: 'GuardedSamples' });
export type GuardedSamples = z.infer<typeof guardedSamples>;

export const guard = guardedSamples
  .extend({
    effect: z.number(),
    commonBudget: nullableNumber.meta({
      description: 'The smallest of the tested pairs, at which the groups are summarised',
    }),
    text: z.string().meta({ description: 'Within which budgets the pairs are compared' }),
    pairs: z.array(guardedPair),
  })
  .meta({ id: 'Guard' });
export type Guard = z.infer<typeof guard>;
