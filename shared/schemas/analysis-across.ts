import * as z from 'zod';
import { acrossBlocks, cellMeasures, missingResults } from '#shared/words.ts';
import { friedmanResult, grouping } from './analysis.ts';
import { guardedSamples, sampleQuery } from './analysis-guard.ts';
import { groupByFilter } from './analysis-query.ts';
import { analysisNote } from './analysis-note.ts';
import { firstOrWord, nullableNumber, nullIsInfinite, repeatedText, textFilter } from './common.ts';
import { objectiveDirection } from './run.ts';
import { maskedText } from './masked.ts';

const cellMeasure = z.enum(cellMeasures);
export type CellMeasure = z.infer<typeof cellMeasure>;

export const acrossQuery = z.object({
  instance: repeatedText.describe(
    'May be repeated: ids of the instances; without any, all that two groups or more have completed runs on',
  ),
  algorithm: repeatedText.describe('May be repeated: only these algorithms'),
  groupBy: groupByFilter,
  measure: firstOrWord(cellMeasures).describe('The value of a cell, which is ranked'),
  control: textFilter.describe('Group that the others are compared with'),
  missing: firstOrWord(missingResults).describe(
    'An instance on which a group has no results: `shared` excludes it from ranks and tests, `worst` ranks the group last ' +
      'there, `pairwise` excludes it for the pairs of this group only, so that there are no common ranks',
  ),
  blocks: firstOrWord(acrossBlocks).describe(
    'What counts once in ranks and tests over instances: a `function`, averaged over its dimensions, or each `instance`',
  ),
  ...sampleQuery,
});
export type AcrossQuery = z.infer<typeof acrossQuery>;

const range = z.object({ least: z.number(), most: z.number() }).nullable();

/** The scale on which a test across instances measures the difference of two groups. */
const pairScale = z.enum(['log10Ert', 'log10Precision', 'successRate', 'anytime']);

const acrossPair = z
  .object({
    a: z.string(),
    b: z.string(),
    blocks: z.int().meta({ description: 'Blocks on which both have a value' }),
    wins: z.int().meta({ description: 'Blocks on which A is better' }),
    ties: z.int(),
    losses: z.int(),
    medianDifference: nullableNumber.meta({
      description:
        'Of A over B on the scale of the tests, above 0 where A is better; null where infinite',
    }),
    pValue: nullableNumber.meta({
      description: "Wilcoxon's signed-rank test over the blocks; null without blocks that differ",
    }),
    holmAdjustedPValue: nullableNumber.meta({ description: 'Over the tested pairs' }),
    attainablePValue: nullableNumber.meta({
      description: 'Smallest adjusted p-value that so many blocks and pairs allow',
    }),
    better: z.string().meta({ description: 'The group with the larger rank sum, else `none`' }),
    significant: z.boolean().meta({
      description: 'Adjusted p-value at most 0.05, and no run of the groups is RUNNING',
    }),
  })
  .meta({ id: 'AcrossPair' });
export type AcrossPair = z.infer<typeof acrossPair>;

export const acrossInstance = z
  .object({
    id: z.string(),
    label: maskedText('source'),
    problemType: z.string(),
    direction: objectiveDirection,
    targetFitness: nullableNumber,
    commonBudget: nullableNumber.meta({
      description:
        'Evaluations within which the groups are compared here: the smallest common budget of their pairs; 0 where the data state none',
    }),
    isShared: z
      .boolean()
      .meta({ description: 'All groups have results: it enters ranks and tests' }),
    lacking: z
      .array(z.string())
      .meta({ description: 'Groups without results on it, in the order of `groups`' }),
    block: z.string().meta({
      description: 'Equal for instances of one function that differ in their dimension only',
    }),
    differences: z
      .object({
        budget: range.meta({ description: 'Largest evaluations of a run, per group' }),
        runs: range.meta({ description: 'Runs per group' }),
        completed: range.meta({ description: 'Share of COMPLETED runs per group, from 0 to 1' }),
      })
      .meta({
        description:
          'In what the groups differ here, so that their cells cannot be compared without care',
      }),
  })
  .meta({ id: 'AcrossInstance' });
export type AcrossInstance = z.infer<typeof acrossInstance>;

export const acrossCell = z
  .object({
    instance: z.string(),
    group: z.string(),
    n: z.int().meta({
      description: 'Started runs behind the value; 0 = the group lacks the instance',
    }),
    value: nullableNumber.meta({
      description:
        'Within the common budget of the instance. Null with n > 0: infinite, with the sign of `infinity`',
      ...nullIsInfinite,
      'x-null-where': 'infinity',
    }),
    infinity: z
      .union([z.literal(1), z.literal(-1)])
      .nullable()
      .meta({ description: 'Sign of an infinite value; null for a finite one' }),
    rank: nullableNumber.meta({
      description: 'Inside the instance, 1 = best; ties share the mean',
    }),
    best: z.boolean().meta({ description: 'Has the best value; this is no claim' }),
    clearlyBest: z.boolean().meta({
      description:
        'Claimed to be better than every other group that it is compared with here: bold on pages and in LaTeX',
    }),
    indistinguishable: z.boolean().nullable().meta({
      description: 'No other group is claimed to be better here; null where not tested',
    }),
    pVersusBest: nullableNumber.meta({
      description:
        'Of the test of the pair with the best value, Holm inside the instance; used for no claim. `instanceTests` has the p-values behind the claims',
    }),
  })
  .meta({ id: 'AcrossCell' });
export type AcrossCell = z.infer<typeof acrossCell>;

const instanceTest = z
  .object({
    instance: z.string(),
    a: z.string(),
    b: z.string(),
    commonBudget: nullableNumber.meta({
      description: 'Evaluations within which the pair is compared; null where a group has no runs',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the pair is not tested; null where it is' }),
    effectSize: nullableNumber.meta({ description: 'A12, above 0.5 where A is better' }),
    pValue: nullableNumber.meta({ description: 'On the measure of the cells alone' }),
    adjustedPValue: nullableNumber.meta({
      description: 'Over the measures of the pair, and over the pairs of all instances',
    }),
    better: z.string().meta({ description: 'The group that the effect size favours, else `none`' }),
    significant: z.boolean().meta({
      description: 'Adjusted p-value at most 0.05, and no run of the groups is RUNNING',
    }),
  })
  .meta({ id: 'AcrossInstanceTest' });
export type AcrossInstanceTest = z.infer<typeof instanceTest>;

export const across = z
  .object({
    measure: cellMeasure,
    groupBy: grouping,
    control: z.string().nullable(),
    missing: z.enum(missingResults),
    blocks: z.enum(acrossBlocks),
    groups: z.array(z.object({ group: z.string(), label: maskedText('source') })),
    instances: z.array(acrossInstance),
    guard: guardedSamples,
    cells: z.array(acrossCell).meta({ description: 'By instance, then group, all of both' }),
    instanceTests: z.array(instanceTest).meta({
      description:
        'The pairs on each instance, one family with their measures; they decide what of the cells is marked',
    }),
    averageRanks: z.array(z.object({ group: z.string(), averageRank: z.number() })),
    winsTiesLosses: z
      .array(
        z.object({ a: z.string(), b: z.string(), wins: z.int(), ties: z.int(), losses: z.int() }),
      )
      .meta({ description: 'Of A against B, over the instances that `missing` leaves' }),
    friedman: friedmanResult,
    signedRank: z
      .object({
        n: z.int().meta({ description: 'Differences that are not 0' }),
        zeros: z.int(),
        wPlus: z.number().meta({ description: 'Rank sum of the instances on which A is better' }),
        wMinus: z.number(),
        pValue: z.number(),
        method: z.enum(['exact', 'asymptotic']).nullable(),
      })
      .nullable()
      .meta({
        description:
          'Over the values of the shared instances, whatever their size, so it is used for no claim; null unless there are exactly two groups',
      }),
    pairTests: z
      .object({
        scale: pairScale,
        unscaled: z.array(z.string()).meta({
          description:
            'Labels of instances without a known optimum, whose fitness compares with no other',
        }),
        isInterim: z
          .boolean()
          .meta({ description: 'A run is RUNNING, so that nothing is claimed' }),
        pairs: z.array(acrossPair),
      })
      .meta({
        description:
          'Tests of the pairs over blocks, on a scale that compares across instances: never on raw fitness. They decide the bars of the rank diagram',
      }),
    versusControl: z
      .array(
        z.object({
          group: z.string(),
          z: z.number().meta({ description: 'Below 0 the group is better than the control' }),
          pValue: z.number(),
          holmAdjustedPValue: z.number(),
        }),
      )
      .nullable()
      .meta({ description: 'Null without a control, and below two shared instances' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'Across' });
export type Across = z.infer<typeof across>;
