import * as z from 'zod';
import { acrossBlocks, cellMeasures, missingResults } from '#shared/words.ts';
import { friedmanResult, grouping } from './analysis.ts';
import { guardedSamples, sampleQuery } from './analysis-guard.ts';
import { groupByFilter } from './analysis-query.ts';
import { analysisNote } from './analysis-note.ts';
import {
  makeWordFilterWithDefault,
  nullableNumber,
  infinityMark,
  repeatedText,
  textFilter,
} from './common.ts';
import { objectiveDirection } from './run.ts';
import { makeMaskedText } from './masked.ts';

/** A measure of the cells. */
const cellMeasure = z.enum(cellMeasures);
export type CellMeasure = z.infer<typeof cellMeasure>;

/** Query of `GET /api/analysis/across`. */
export const acrossQuery = z.object({
  instance: repeatedText.describe(
    'Id of an instance; repeatable. Default: all instances with a completed run on which at least two groups have completed or failed runs',
  ),
  algorithm: repeatedText.describe('Algorithm to include; repeatable. Default: all'),
  groupBy: groupByFilter,
  measure: makeWordFilterWithDefault(cellMeasures).describe(
    'The value of the cells, which also ranks the groups',
  ),
  control: textFilter.describe('Group to compare the others with'),
  missing: makeWordFilterWithDefault(missingResults).describe(
    'Treatment of an instance on which a group has no results, in ranks and tests over instances: `shared` excludes it; `worst` ranks ' +
      'the group last on it; `pairwise` excludes it only for the pairs of this group, so there are no common ranks',
  ),
  blocks: makeWordFilterWithDefault(acrossBlocks).describe(
    'The blocks of ranks and tests over instances: each `function`, averaged over its dimensions and numbered instances, or each `instance`',
  ),
  ...sampleQuery,
});
export type AcrossQuery = z.infer<typeof acrossQuery>;

const range = z.object({ least: z.number(), most: z.number() }).nullable();

/** The scale of the difference of two groups in a test across instances. */
const pairScale = z.enum(['log10Ert', 'log10Precision', 'successRate', 'anytime']);

/** Test of two groups over blocks. */
const acrossPair = z
  .object({
    a: z.string(),
    b: z.string(),
    blocks: z.int().meta({
      description:
        'Number of blocks with an instance that counts for the pair. `missing` decides which instances count; the scale `log10Precision` also requires a known optimum',
    }),
    wins: z.int().meta({ description: 'Number of blocks on which A is better' }),
    ties: z.int(),
    losses: z.int(),
    medianDifference: nullableNumber.meta({
      description:
        'Median difference between A and B on the scale of the tests, above 0 if A is better; null if it is not finite, or without blocks',
    }),
    pValue: nullableNumber.meta({
      description:
        "p-value of Wilcoxon's signed-rank test over the blocks; null if no block differs",
    }),
    holmAdjustedPValue: nullableNumber.meta({
      description: 'p-value with Holm adjustment over the tested pairs',
    }),
    attainablePValue: nullableNumber.meta({
      description:
        'Smallest p-value that is possible with this number of blocks that differ, times the number of tested pairs, at most `holmAdjustedPValue`',
    }),
    better: z
      .string()
      .meta({ description: 'The group with the larger rank sum; `none` if they are equal' }),
    significant: z.boolean().meta({
      description:
        'Whether the adjusted p-value is at most 0.05, no run of the groups is RUNNING, and neither group has several configurations on an instance',
    }),
  })
  .meta({ id: 'AcrossPair' });
export type AcrossPair = z.infer<typeof acrossPair>;

/** A problem instance in a comparison across instances. */
export const acrossInstance = z
  .object({
    id: z.string(),
    label: makeMaskedText('source'),
    problemType: z.string(),
    direction: objectiveDirection,
    targetFitness: nullableNumber,
    commonBudget: nullableNumber.meta({
      description:
        'Evaluations within which the cells compare the groups on this instance: the smallest common budget of the comparable pairs, or of all groups if there are too many for pairs; 0 if the data state no evaluations',
    }),
    isShared: z.boolean().meta({
      description: 'Whether all groups have results on the instance',
    }),
    lacking: z
      .array(z.string())
      .meta({ description: 'Groups without results on the instance, in the order of `groups`' }),
    block: z.string().meta({
      description:
        'Key of the function, equal for instances of a problem type that differ only in their dimension and instance number. If `blocks` is `function`, the instances with an equal key are one block',
    }),
    differences: z
      .object({
        budget: range.meta({
          description:
            'Smallest and largest budget of the groups. The budget of a group is the largest known budget of a run in its sample. Without a known budget, it is the largest number of used evaluations in the sample, if this number exceeds the smallest known budget. Null if the budgets differ by at most 5 % of the smallest, or if no budget is known',
        }),
        runs: range.meta({
          description: 'Smallest and largest number of runs of a group; null if they are equal',
        }),
        completed: range.meta({
          description:
            'Smallest and largest share of COMPLETED runs of a group (0 to 1); null if they are equal',
        }),
      })
      .meta({
        description:
          'Differences between the groups on this instance: compare their cells with care',
      }),
  })
  .meta({ id: 'AcrossInstance' });
export type AcrossInstance = z.infer<typeof acrossInstance>;

/** Result of a group on an instance. */
export const acrossCell = z
  .object({
    instance: z.string(),
    group: z.string(),
    n: z.int().meta({
      description:
        'Number of runs in the sample of the group; 0 if the group has no result on the instance',
    }),
    value: nullableNumber.meta({
      description:
        'Value within the common budget of the instance. Null with n > 0 means infinite, with the sign in `infinity`',
      ...infinityMark,
      'x-null-where': 'infinity',
    }),
    infinity: z
      .union([z.literal(1), z.literal(-1)])
      .nullable()
      .meta({
        description: 'Sign of an infinite value; null for a finite value, and without a value',
      }),
    rank: nullableNumber.meta({
      description:
        'Rank on the instance, 1 = best; ties have the mean of their ranks. Null without a result',
    }),
    best: z.boolean().meta({
      description:
        'Whether the group has the best value; this does not claim a difference. False for an infinite ERT and a success rate of 0',
    }),
    clearlyBest: z.boolean().meta({
      description:
        'Whether the group is significantly better than every other group that the tests compare it with here: bold on pages and in LaTeX',
    }),
    indistinguishable: z.boolean().nullable().meta({
      description: 'Whether no other group is significantly better here; null without a test',
    }),
    pVersusBest: nullableNumber.meta({
      description:
        'p-value of the test against the group with the best value, Holm-adjusted within the instance; null for that group, without a test of the pair, and unless exactly one group is best. Claims use the p-values in `instanceTests` instead',
    }),
  })
  .meta({ id: 'AcrossCell' });
export type AcrossCell = z.infer<typeof acrossCell>;

/** Test of two groups on an instance. */
const instanceTest = z
  .object({
    instance: z.string(),
    a: z.string(),
    b: z.string(),
    commonBudget: nullableNumber.meta({
      description:
        'Common budget of the pair in evaluations; null if a group has no runs for tests',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why there is no test of the pair; null if there is one' }),
    effectSize: nullableNumber.meta({ description: 'A12, above 0.5 if A is better' }),
    pValue: nullableNumber.meta({ description: 'p-value for the measure of the cells' }),
    adjustedPValue: nullableNumber.meta({
      description:
        'p-value adjusted over the measures of the pair and over the pairs of all instances',
    }),
    better: z
      .string()
      .meta({ description: 'The group that the effect size favours; `none` if neither' }),
    significant: z.boolean().meta({
      description:
        'Whether the adjusted p-value is at most 0.05 and no run of the groups is RUNNING',
    }),
  })
  .meta({ id: 'AcrossInstanceTest' });
export type AcrossInstanceTest = z.infer<typeof instanceTest>;

/** Comparison of groups across problem instances. */
export const acrossComparison = z
  .object({
    measure: cellMeasure,
    groupBy: grouping,
    control: z.string().nullable(),
    missing: z.enum(missingResults),
    blocks: z.enum(acrossBlocks),
    groups: z.array(
      z.object({
        group: z.string(),
        label: makeMaskedText('source'),
        isBaseline: z.boolean().optional().meta({
          description: 'Whether a user marked the group as the baseline',
        }),
      }),
    ),
    instances: z.array(acrossInstance),
    guard: guardedSamples,
    cells: z.array(acrossCell).meta({ description: 'All cells, by instance, then group' }),
    instanceTests: z.array(instanceTest).meta({
      description:
        'Tests of the pairs on each instance. All pairs and measures form one family. Pages and LaTeX mark the cells by these tests. Empty if there are too many pairs, see `notes`',
    }),
    averageRanks: z.array(z.object({ group: z.string(), averageRank: z.number() })),
    winsTiesLosses: z
      .array(
        z.object({ a: z.string(), b: z.string(), wins: z.int(), ties: z.int(), losses: z.int() }),
      )
      .meta({
        description:
          'Wins, ties and losses of A against B, over the instances that `missing` does not exclude',
      }),
    friedman: friedmanResult,
    signedRank: z
      .object({
        n: z.int().meta({ description: 'Number of differences that are not 0' }),
        zeros: z.int(),
        wPlus: z.number().meta({ description: 'Rank sum of the instances on which A is better' }),
        wMinus: z.number(),
        pValue: z.number(),
        method: z.enum(['exact', 'asymptotic']).nullable(),
      })
      .nullable()
      .meta({
        description:
          'Signed-rank test over the unscaled values of the instances that have common ranks. Claims do not use it. Null unless there are exactly two groups',
      }),
    pairTests: z
      .object({
        scale: pairScale,
        unscaled: z.array(z.string()).meta({
          description:
            'Labels of instances without a known optimum, which the tests omit if the scale is `log10Precision`; empty for other scales',
        }),
        isInterim: z
          .boolean()
          .meta({ description: 'Whether a run is RUNNING; the tests then claim no difference' }),
        pairs: z.array(acrossPair),
      })
      .meta({
        description:
          'Tests of the pairs over blocks, on a scale that is comparable across instances (never raw fitness). On each instance a pair ' +
          'uses equally many runs of both groups, the first ones by start. These tests decide the bars of the rank diagram',
      }),
    versusControl: z
      .array(
        z.object({
          group: z.string(),
          z: z
            .number()
            .meta({ description: 'z statistic; below 0 if the group is better than the control' }),
          pValue: z.number(),
          holmAdjustedPValue: z.number(),
        }),
      )
      .nullable()
      .meta({
        description:
          'Tests of the average rank of each group against that of the control; null without a control, or with fewer than two ranked blocks',
      }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'Across' });
export type Across = z.infer<typeof acrossComparison>;
