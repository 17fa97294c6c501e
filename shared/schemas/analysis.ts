import * as z from 'zod';
import { directionSources, groupings } from '#shared/words.ts';
import { guard } from './analysis-guard.ts';
import {
  interval,
  measure,
  pairwise,
  runtimeInterval,
  verdictSentence,
} from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { maskedText, maskings } from './masked.ts';
import { nullableNumber, nullIsInfinite, wireInteger } from './common.ts';
import { objectiveDirection } from './run.ts';

export const grouping = z.enum(groupings);
/** A grouping, or `param:` and the path of a parameter. */
export const paramGrouping = z.union([grouping, z.templateLiteral(['param:', z.string()])]);
export type Grouping = z.infer<typeof paramGrouping>;

export const directionSource = z.enum(['query', ...directionSources]);
export type DirectionSource = z.infer<typeof directionSource>;

export const targetSource = z.enum(['query', 'config', 'none']);
export type TargetSource = z.infer<typeof targetSource>;

export const box = z
  .object({
    n: z.int(),
    min: nullableNumber,
    q1: nullableNumber,
    median: nullableNumber,
    q3: nullableNumber,
    max: nullableNumber,
    mean: nullableNumber,
    stdDev: nullableNumber,
    whiskerLow: nullableNumber,
    whiskerHigh: nullableNumber,
    outliers: z.array(z.number()),
  })
  .meta({ id: 'Box', description: 'Box plot of a sample; all null and n = 0 for an empty one' });
export type Box = z.infer<typeof box>;

export const convergencePoint = z
  .object({
    x: z.number(),
    mean: z.number(),
    ciLower: nullableNumber,
    ciUpper: nullableNumber,
    median: nullableNumber,
    q1: nullableNumber,
    q3: nullableNumber,
    samples: z.int().meta({ description: 'Runs with a value: a RUNNING one until its last point' }),
  })
  .meta({ id: 'ConvergencePoint' });
export type ConvergencePoint = z.infer<typeof convergencePoint>;

export const histogramBin = z
  .object({ startInclusive: z.number(), endExclusive: z.number(), count: z.int() })
  .meta({ id: 'HistogramBin' });
export type HistogramBin = z.infer<typeof histogramBin>;

export const curvePoint = z.object({ x: z.number(), y: z.number() }).meta({ id: 'CurvePoint' });
export type CurvePoint = z.infer<typeof curvePoint>;

export const budgetShare = curvePoint.extend({ ciLower: z.number(), ciUpper: z.number() }).meta({
  id: 'BudgetShare',
  description: 'A share within a budget and its Wilson interval, 95 %',
});
export type BudgetShare = z.infer<typeof budgetShare>;

const curve = z.array(curvePoint);

export const series = z.object({ name: z.string(), points: curve }).meta({ id: 'Series' });
export type Series = z.infer<typeof series>;

/** The unit of the x axis of a data profile: evaluations, or evaluations / (dimension + 1). */
export const dataProfileUnit = z.enum(['evaluationsPerDimensionPlusOne', 'evaluations']);
export type DataProfileUnit = z.infer<typeof dataProfileUnit>;

export const objectiveAnswer = {
  objectiveDirection,
  directionSource,
  targetFitness: nullableNumber,
  targetSource,
};

/** Results of the runs of one group or one experiment. */
const successFields = {
  totalRuns: z.int(),
  completedRuns: z.int(),
  successfulRuns: z.int(),
  successRate: z.number(),
  successRateCi: interval.nullable().meta({ description: 'Wilson interval, 95 %' }),
  ert: nullableNumber.meta({
    description: 'Expected runtime in evaluations; null = no run succeeded',
    ...nullIsInfinite,
  }),
  ertInterval: runtimeInterval.nullable().meta({ description: 'Null without runs' }),
  sp1: nullableNumber.meta(nullIsInfinite),
};

/** Results of the runs of a group within the smallest common budget of the shown groups. */
export const atCommonBudget = z
  .object({
    runs: z.int().meta({ description: 'Started runs in the sample of the group' }),
    solved: z.int().meta({ description: 'Reached the target within the budget' }),
    successRate: nullableNumber.meta({ description: 'Null without a target' }),
    successRateCi: interval.nullable(),
    ert: nullableNumber.meta({
      description: 'Null with `solved` > 0: unknown; else no run succeeded, or there is no target',
    }),
    ertInterval: runtimeInterval.nullable().meta({
      description: '95 %, by MOVER; null where no run solved, or there is no target',
    }),
    sp1: nullableNumber,
    medianBest: nullableNumber.meta({ description: 'Failures are worse than any value' }),
    meanBest: nullableNumber.meta({ description: 'Null where a run has no finite value' }),
    stdBest: nullableNumber,
  })
  .meta({ id: 'AtCommonBudget' });
export type AtCommonBudget = z.infer<typeof atCommonBudget>;

export const groupSummary = z
  .object({
    algorithm: z.string().meta({ description: 'Name of the group' }),
    label: z
      .string()
      .meta({ description: 'What to show as its name: the display name if a user gave it one' })
      .register(maskings, { as: 'source' }),
    isBaseline: z.boolean().meta({
      description:
        'A user marked it as the one that others are compared with: its pairs come first',
    }),
    ...successFields,
    sampleSize: z.int().meta({ description: 'Completed runs with a best fitness, ±∞ included' }),
    meanBest: nullableNumber,
    medianBest: nullableNumber.meta({
      description: 'Infinite values among the sample; null where it is not finite',
    }),
    stdBest: nullableNumber,
    box,
    configurations: z.int().meta({
      description: 'Distinct configurations that the group pools, whatever their seeds and budgets',
    }),
    atCommonBudget: atCommonBudget.nullable().meta({
      description: 'Null without a common budget, and for a group that is in no tested pair',
    }),
    bestOn: z.array(measure).meta({
      description:
        'Measures on which it is significantly better than every other group it is compared with: what is bold',
    }),
    experimentIds: z.array(z.string()).meta({ description: 'Whose runs are in the group' }),
  })
  .meta({ id: 'GroupSummary' });
export type GroupSummary = z.infer<typeof groupSummary>;

export const pairwiseTest = z
  .object({
    algorithmA: z.string(),
    algorithmB: z.string(),
    sampleSizeA: z.int(),
    sampleSizeB: z.int(),
    pValue: nullableNumber.meta({ description: 'Two-sided rank-sum test; null = nothing to test' }),
    holmAdjustedPValue: nullableNumber,
    attainablePValue: nullableNumber.meta({
      description: 'Smallest p within reach, times the tested pairs',
    }),
    betterAlgorithm: z.string().meta({ description: 'Whom the effect size favours, or `none`' }),
    significantAt05: z.boolean(),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    effectSize: nullableNumber.meta({ description: 'Vargha-Delaney A12; above 0.5 A is better' }),
  })
  .meta({ id: 'PairwiseTest' });
export type PairwiseTest = z.infer<typeof pairwiseTest>;

export const friedmanResult = z
  .object({
    blocks: z.int(),
    algorithms: z.int(),
    statistic: nullableNumber,
    df: z.int().nullable(),
    pValue: nullableNumber,
    ranks: z.array(
      z.object({
        algorithm: z.string(),
        averageRank: z.number(),
        label: maskedText('source').optional(),
      }),
    ),
    blockBy: z.enum(['instance', 'function', 'seed']).nullable(),
    exactPValue: nullableNumber.meta({ description: 'Null with over 6 groups or 20,000 outcomes' }),
    imanDavenport: z
      .object({ statistic: z.number(), df1: z.int(), df2: z.int(), pValue: z.number() })
      .nullable()
      .meta({ description: 'Null where the exact p-value is known or all blocks agree' }),
    criticalDifference: nullableNumber.meta({ description: 'Nemenyi, at 0.05' }),
  })
  .meta({ id: 'FriedmanResult' });
export type FriedmanResult = z.infer<typeof friedmanResult>;

export const problemInstance = z
  .object({
    id: z.string(),
    label: maskedText('source'),
    selected: z.boolean(),
    algorithms: z.int(),
    runs: z.int(),
    dimension: nullableNumber,
    configJson: z
      .string()
      .meta({ description: 'Canonical JSON of its problem and representation' })
      .register(maskings, { as: 'source' }),
  })
  .meta({ id: 'ProblemInstance' });
export type ProblemInstance = z.infer<typeof problemInstance>;

/** The ECDFs over several targets, one for each group. */
export const severalTargets = z.object({
  targets: z.array(z.number()).meta({ description: 'Of `ecdfTargets`, largest first' }),
  targetsSource: z.enum(['query', 'levels']).meta({
    description: '`levels`: the accuracy levels of the profiles, if none were requested',
  }),
  ecdfTargets: z
    .array(
      series.extend({
        pairs: z.int().meta({ description: 'Of a run and a target' }),
        solvedPairs: z.int(),
        crossAt: nullableNumber.meta({
          description: 'Median evaluations of the runs that missed a target; null where none did',
        }),
      }),
    )
    .meta({ description: 'Share of (run, target) pairs reached within x evaluations' }),
});
export type SeveralTargets = z.infer<typeof severalTargets>;

export const problemComparison = z
  .object({
    problemType: z.string(),
    ...objectiveAnswer,
    groupBy: paramGrouping,
    verdict: z
      .array(verdictSentence)
      .meta({ description: 'What the tests support, best supported first, then what they do not' }),
    guard,
    algorithms: z.array(groupSummary),
    pairwiseWilcoxon: z.array(pairwiseTest).meta({
      description:
        'Stored final fitness of the COMPLETED runs, Holm over the pairs, whatever the budgets: kept for existing scripts, and used for no claim',
    }),
    pairwise,
    friedman: friedmanResult,
    kruskalWallis: z
      .object({ statistic: z.number(), df: z.int(), pValue: z.number() })
      .nullable()
      .meta({ description: 'Null with fewer than two groups that have completed runs' }),
    ecdfTotalRuns: z.array(series),
    ecdfSuccessfulRuns: z.array(series),
    dataProfiles: z.array(series),
    dataProfileUnit,
    performanceProfiles: z.array(series),
    instances: z.array(problemInstance),
    conditions: z.array(maskedText('source')).nullable().meta({
      description:
        'What `param` of a list takes for the selected instance; null where no filters tell it from the others',
    }),
    varyingParameters: z.array(z.string()).meta({
      description:
        'Paths of the parameters that differ between experiments of one algorithm on the selected instance, for `groupBy`',
    }),
    notes: z.array(analysisNote),
    ...severalTargets.shape,
    convergence: z.array(z.object({ name: z.string(), points: z.array(convergencePoint) })),
  })
  .meta({ id: 'ProblemComparison' });
export type ProblemComparison = z.infer<typeof problemComparison>;

export const experimentAnalysis = z
  .object({
    experimentId: z.string(),
    problemType: z.string(),
    problemInstance,
    ...objectiveAnswer,
    ...successFields,
    bestFitnessBox: box,
    bestFitnessValues: z.array(z.number()),
    bestFitnessHistogram: z
      .array(histogramBin)
      .meta({ description: 'The last bin includes its end' }),
    runtimeMillisBox: box,
    evaluationsBox: box,
    successVsBudget: z.array(budgetShare),
    timeToTargetHistogram: z.array(histogramBin),
    ecdfTotalRuns: curve,
    ecdfSuccessfulRuns: curve,
    dataProfile: curve,
    dataProfileUnit,
    performanceProfile: curve,
    notes: z.array(analysisNote),
    ...severalTargets.shape,
    convergence95Ci: z.array(convergencePoint),
    sameProblem: problemComparison
      .optional()
      .meta({ description: 'Left out with `sameProblem=false`' }),
  })
  .meta({ id: 'ExperimentAnalysis' });
export type ExperimentAnalysis = z.infer<typeof experimentAnalysis>;

/** A problem type with its groups and instances. */
export const problemSummary = z
  .object({
    problemType: z.string(),
    algorithms: z.array(z.string()),
    instances: z.int(),
    experiments: z.int(),
    runs: z.int(),
    completedRuns: z.int(),
  })
  .meta({ id: 'ProblemSummary' });
export type ProblemSummary = z.infer<typeof problemSummary>;

export const experimentTraces = z
  .object({
    experimentId: z.string(),
    objectiveDirection,
    targetFitness: nullableNumber,
    runs: z.array(
      z.object({
        runId: z.string(),
        seed: wireInteger.nullable(),
        status: z.string(),
        evaluationsToTarget: z
          .number()
          .nullable()
          .meta({ description: 'Of the first iteration that reached the target' }),
        isThinned: z.boolean().meta({ description: 'Improvements were left out' }),
        points: curve.meta({
          description: 'Best so far by evaluations: each improvement, and the end of the run',
        }),
      }),
    ),
  })
  .meta({ id: 'ExperimentTraces' });
export type ExperimentTraces = z.infer<typeof experimentTraces>;
