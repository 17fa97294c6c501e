import * as z from 'zod';
import { effectLabels, measures } from '#shared/words.ts';
import { makeMaskedText } from './masked.ts';
import { nullableNumber, infinityMark } from './common.ts';

/** A measure of the tests of groups. */
export const measure = z.enum(measures);
export type Measure = z.infer<typeof measure>;

/** The label of an effect size. */
export const effectLabel = z.enum(effectLabels);
export type EffectLabel = z.infer<typeof effectLabel>;

/** An interval with finite ends. */
export const interval = z.object({ lower: z.number(), upper: z.number() }).meta({ id: 'Interval' });
export type Interval = z.infer<typeof interval>;

const bound = nullableNumber.meta(infinityMark);

/** An interval of a runtime, whose ends may be infinite. */
export const runtimeInterval = z
  .object({ lower: bound, upper: bound })
  .meta({ id: 'RuntimeInterval', description: '95 % interval; a null bound is infinite' });
export type RuntimeInterval = z.infer<typeof runtimeInterval>;

/** Number of successful runs, next to `totalRuns`. */
export const successfulRuns = z.int().meta({
  description: 'Number of runs that reached the target; without a target, number of COMPLETED runs',
});

/** ERT or SP1 of runs, next to their `totalRuns` and `successfulRuns` in the response. */
export const runtimeOfRuns = nullableNumber.meta({
  description:
    'Evaluations; null if no run succeeded (infinite), without runs, and if the evaluations of all successful runs are unknown',
  ...infinityMark,
  'x-null-where': 'totalRuns',
  'x-null-unless': 'successfulRuns',
});

/** Bootstrap interval of an ERT of {@link runtimeOfRuns}. */
export const ertInterval = runtimeInterval.nullable().meta({
  description:
    'Percentile bootstrap interval, which contains the true value in fewer than 95 % of the cases for few runs; null without runs, and if the evaluations of all successful runs are unknown. Only for existing scripts: pages show `ertMoverInterval`',
});

/** MOVER interval of an ERT. */
export const ertMoverInterval = runtimeInterval.nullable().meta({
  description:
    'Interval by the method of variance estimates recovery (MOVER), within the granted budget if it is known and equal for all runs. Without such a budget and if all runs succeeded, it is null for fewer than 15 runs, and assumes for 15 or more that every run succeeds. It is also null if `ert` is null, and without a target',
});

const simultaneousDescription =
  'simultaneous over the tested pairs and measures of the comparison (Bonferroni): all of these intervals together contain the true values with a probability of at least about 95 %. Pages and LaTeX show it';

/** Test of two groups on one measure. */
export const measuredPair = z
  .object({
    a: z.string().meta({ description: 'Name of a group, as in `algorithms`' }),
    b: z.string(),
    nA: z.int().meta({ description: 'Number of runs of A in the test' }),
    nB: z.int(),
    pValue: nullableNumber.meta({
      description: 'Two-sided p-value; null without a test of the pair on this measure',
    }),
    holmAdjustedPValue: nullableNumber.meta({
      description:
        '`pValue` with Holm adjustment over the pairs of this measure. Claims do not use it',
    }),
    adjustedPValue: nullableNumber.meta({
      description:
        'p-value adjusted over the measures of the pair (step-down min-p permutation) and over the tested pairs. Claims use it',
    }),
    attainablePValue: nullableNumber.meta({
      description:
        'Smallest `adjustedPValue` that any measure of the pair can have over all assignments of the same values to the two groups, if the claims on the other pairs do not change. It is never above the smallest adjusted p-value of the actual assignment. If the test does not count all assignments, it is an upper bound',
    }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    effectSize: nullableNumber.meta({
      description: 'Vargha-Delaney A12; above 0.5 if A is better',
    }),
    effectInterval: interval.nullable().meta({
      description:
        '95 % interval of A12 (DeLong, logit); null without a test, for tests over configurations, for fewer than 2 runs in a group, if A12 is 0 or 1, and if all values are equal',
    }),
    simultaneousEffectInterval: interval.nullable().meta({
      description: `Interval of A12 like \`effectInterval\`, but ${simultaneousDescription}`,
    }),
    effectLabel: effectLabel.nullable(),
    shift: nullableNumber.meta({
      description:
        'Hodges-Lehmann shift: median of all differences A − B; null without a test, for success rates, for runtimes with a miss, and if it is not finite',
    }),
    shiftInterval: interval.nullable().meta({
      description:
        '95 % interval of the shift, which belongs to the rank-sum test; null without a shift, for tests over configurations, if the groups have too few runs for this level, and if an end is not finite',
    }),
    simultaneousShiftInterval: interval.nullable().meta({
      description: `Interval of the shift like \`shiftInterval\`, but ${simultaneousDescription}`,
    }),
    difference: nullableNumber.meta({
      description:
        'Success rate of A minus success rate of B; null without a test, and for other measures',
    }),
    differenceInterval: interval.nullable().meta({
      description:
        '95 % interval of the difference (Newcombe); null without a difference, and for tests over configurations',
    }),
    simultaneousDifferenceInterval: interval.nullable().meta({
      description: `Interval of the difference like \`differenceInterval\`, but ${simultaneousDescription}`,
    }),
    better: z
      .string()
      .meta({ description: 'The group that the effect size favours; `none` if neither' }),
    significant: z.boolean().meta({
      description: 'Whether `adjustedPValue` is at most 0.05 and no run of the groups is RUNNING',
    }),
    labelA: makeMaskedText('source').optional(),
    labelB: makeMaskedText('source').optional(),
  })
  .meta({ id: 'MeasuredPair', description: 'Test of two groups on one measure' });
export type MeasuredPair = z.infer<typeof measuredPair>;

const pairs = z.array(measuredPair);

/** Tests of all pairs on each measure; null for a measure that is not available. */
export const pairwise = z
  .object({
    fitness: pairs.meta({
      description: 'Tests of the best fitness within the common budget of the pair',
    }),
    runtime: pairs
      .nullable()
      .meta({ description: 'Tests of the evaluations to the target; null without a target' }),
    success: pairs
      .nullable()
      .meta({ description: 'Tests of the success rates; null without a target' }),
    anytime: pairs.nullable().meta({
      description:
        'Tests of the share of reached levels, averaged over the logarithm of the budget; null if no pair has a test on it',
    }),
  })
  .meta({ id: 'Pairwise' });
export type Pairwise = z.infer<typeof pairwise>;

/** A sentence of the verdict of a comparison. */
export const verdictSentence = z
  .object({
    kind: z.enum(['claim', 'undecided', 'untested', 'caution']).meta({
      description: 'Kind of the sentence. Only a `claim` states that groups differ',
    }),
    measure: measure.nullable().meta({
      description:
        'The measure of the sentence; null if the sentence is about no measure, or counts claims on several measures. It is `fitness` if runtime and fitness disagree, and `runtime` if no run reached the target',
    }),
    text: z.string(),
    a: z.string().nullable().meta({
      description:
        'The group that the sentence is about, or the first one of its only pair; null for other sentences. It is also null in a sentence about the only group with runs, or about the only group without a better one',
    }),
    b: z.string().nullable().meta({
      description:
        'The group that the sentence compares `a` with; null if there is none, or if there are several',
    }),
  })
  .meta({ id: 'VerdictSentence' });
export type VerdictSentence = z.infer<typeof verdictSentence>;
