import * as z from 'zod';
import { effectLabels, measures } from '#shared/words.ts';
import { maskedText } from './masked.ts';
import { nullableNumber, nullIsInfinite } from './common.ts';

export const measure = z.enum(measures);
export type Measure = z.infer<typeof measure>;

export const effectLabel = z.enum(effectLabels);
export type EffectLabel = z.infer<typeof effectLabel>;

export const interval = z.object({ lower: z.number(), upper: z.number() }).meta({ id: 'Interval' });
export type Interval = z.infer<typeof interval>;

const bound = nullableNumber.meta(nullIsInfinite);

export const runtimeInterval = z
  .object({ lower: bound, upper: bound })
  .meta({ id: 'RuntimeInterval', description: 'Bootstrap interval, 95 %; null = infinite' });
export type RuntimeInterval = z.infer<typeof runtimeInterval>;

export const measuredPair = z
  .object({
    a: z.string().meta({ description: 'Name of a group, as in `algorithms`' }),
    b: z.string(),
    nA: z.int().meta({ description: 'Runs of A in the test' }),
    nB: z.int(),
    pValue: nullableNumber.meta({ description: 'Two-sided; null = nothing to test' }),
    holmAdjustedPValue: nullableNumber.meta({
      description: 'Of `pValue`, Holm over the pairs of this measure; no claim rests on it',
    }),
    adjustedPValue: nullableNumber.meta({
      description:
        'Adjusted over the measures of the pair (min-p permutation, step-down) and over the tested pairs; claims rest on it',
    }),
    attainablePValue: nullableNumber.meta({
      description:
        'Smallest `adjustedPValue` that other assignments of the same values to the two groups could give',
    }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    effectSize: nullableNumber.meta({ description: 'Vargha-Delaney A12; above 0.5 A is better' }),
    effectInterval: interval.nullable().meta({ description: 'Of the A12, 95 %, DeLong, logit' }),
    effectLabel: effectLabel.nullable(),
    shift: nullableNumber.meta({
      description: 'Hodges-Lehmann: median of all A − B; null where censored or not finite',
    }),
    difference: nullableNumber.meta({ description: 'Success rate of A − that of B' }),
    differenceInterval: interval.nullable().meta({ description: 'Newcombe, 95 %' }),
    better: z.string().meta({ description: 'Whom the effect size favours, or `none`' }),
    significant: z.boolean().meta({
      description: '`adjustedPValue` at most 0.05, and no run of the groups is RUNNING',
    }),
    labelA: maskedText('source').optional(),
    labelB: maskedText('source').optional(),
  })
  .meta({ id: 'MeasuredPair', description: 'Test of two groups on one measure' });
export type MeasuredPair = z.infer<typeof measuredPair>;

const pairs = z.array(measuredPair);

/** Tests of all pairs on each measure; null if the measure is not available. */
export const pairwise = z
  .object({
    fitness: pairs.meta({ description: 'Best fitness within the common budget of the pair' }),
    runtime: pairs.nullable().meta({ description: 'Evaluations to the target; null without one' }),
    success: pairs.nullable().meta({ description: 'Whether it was reached; null without one' }),
    anytime: pairs
      .nullable()
      .meta({ description: 'Share of levels reached, averaged over the logarithm of the budget' }),
  })
  .meta({ id: 'Pairwise' });
export type Pairwise = z.infer<typeof pairwise>;

export const verdictSentence = z
  .object({
    kind: z.enum(['claim', 'undecided', 'untested', 'caution']).meta({
      description: 'Only a `claim` says that groups differ',
    }),
    measure: measure.nullable().meta({ description: 'What it is about; null = no measure alone' }),
    text: z.string(),
    a: z.string().nullable().meta({ description: 'Group that it speaks of; null = several' }),
    b: z
      .string()
      .nullable()
      .meta({ description: 'Group that it is compared with; null = several' }),
  })
  .meta({ id: 'VerdictSentence' });
export type VerdictSentence = z.infer<typeof verdictSentence>;
