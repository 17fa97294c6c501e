import * as z from 'zod';
import { directionSources, groupings } from '#shared/words.ts';
import { guard } from './analysis-guard.ts';
import {
  ertInterval,
  ertMoverInterval,
  interval,
  measure,
  pairwise,
  runtimeInterval,
  runtimeOfRuns,
  successfulRuns,
  verdictSentence,
} from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { makeMaskedText, maskings } from './masked.ts';
import { infinityMark, nullableNumber, wireInteger } from './common.ts';
import { objectiveDirection } from './run.ts';

/** The groupings of runs, without those by a parameter. */
export const grouping = z.enum(groupings);
/** A grouping, or `param:` and the path of a parameter. */
export const paramGrouping = z.union([grouping, z.templateLiteral(['param:', z.string()])]);
export type Grouping = z.infer<typeof paramGrouping>;

/** Source of the direction of an analysis: the query, or a source of the default direction. */
export const directionSource = z.enum(['query', ...directionSources]);
export type DirectionSource = z.infer<typeof directionSource>;

/** Source of the target of an analysis: the query or the configuration; `none` if there is no target. */
export const targetSource = z.enum(['query', 'config', 'none']);
export type TargetSource = z.infer<typeof targetSource>;

/** Box plot of a sample. */
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
  .meta({
    id: 'Box',
    description:
      'Box plot of a sample. Without values, n is 0, `outliers` is empty and the other fields are null; `stdDev` is also null for one value, and if it is not finite',
  });
export type Box = z.infer<typeof box>;

/** Summary of the best so far of runs within a budget. */
export const convergencePoint = z
  .object({
    x: z.number(),
    mean: z.number(),
    ciLower: nullableNumber,
    ciUpper: nullableNumber,
    median: nullableNumber,
    medianCiLower: nullableNumber,
    medianCiUpper: nullableNumber,
    q1: nullableNumber,
    q3: nullableNumber,
    samples: z.int().meta({
      description: 'Number of runs with a value. A RUNNING run counts until its last point',
    }),
  })
  .meta({
    id: 'ConvergencePoint',
    description:
      'Best so far of the runs within x evaluations: mean with its 95 % t interval (null for one run, and if an end is not finite), median with its 95 % interval from order statistics (93.8 % for 5 runs, null for fewer), and quartiles. The t interval contains the mean of skewed values too rarely',
  });
export type ConvergencePoint = z.infer<typeof convergencePoint>;

/** A bin of a histogram with the number of its values. */
export const histogramBin = z
  .object({ startInclusive: z.number(), endExclusive: z.number(), count: z.int() })
  .meta({ id: 'HistogramBin' });
export type HistogramBin = z.infer<typeof histogramBin>;

/** A point of a curve. */
export const curvePoint = z.object({ x: z.number(), y: z.number() }).meta({ id: 'CurvePoint' });
export type CurvePoint = z.infer<typeof curvePoint>;

/** A share of runs within a budget, with its interval. */
export const budgetShare = curvePoint.extend({ ciLower: z.number(), ciUpper: z.number() }).meta({
  id: 'BudgetShare',
  description: 'A share within a budget, with its 95 % Wilson interval',
});
export type BudgetShare = z.infer<typeof budgetShare>;

const curve = z.array(curvePoint);

/** A named curve. */
export const series = z.object({ name: z.string(), points: curve }).meta({ id: 'Series' });
export type Series = z.infer<typeof series>;

/** The unit of the x axis of a data profile: evaluations, or evaluations / (dimension + 1). */
export const dataProfileUnit = z.enum(['evaluationsPerDimensionPlusOne', 'evaluations']);
export type DataProfileUnit = z.infer<typeof dataProfileUnit>;

/** Direction and target of an analysis, with their sources. `targetFitness` is null if there is no target. */
export const objectiveFields = {
  objectiveDirection,
  directionSource,
  targetFitness: nullableNumber,
  targetSource,
};

/** Results of the runs of one group or one experiment. */
const successFields = {
  totalRuns: z.int(),
  completedRuns: z.int(),
  successfulRuns,
  successRate: z.number().meta({ description: 'Share of successful runs; 0 without runs' }),
  successRateCi: interval
    .nullable()
    .meta({ description: '95 % Wilson interval; null without runs' }),
  ert: runtimeOfRuns,
  ertInterval,
  ertMoverInterval,
  sp1: runtimeOfRuns,
};

/** Mark of an ERT or SP1 next to its `successRate`, which is null without a target. */
const runtimeInfinityMark = { ...infinityMark, 'x-null-unless': 'successRate' } as const;

/** Results of the runs of a group within the smallest common budget of the tested pairs. */
export const commonBudgetResults = z
  .object({
    runs: z.int().meta({ description: 'Number of started runs in the sample of the group' }),
    solved: z.int().meta({
      description: 'Number of runs that reached the target within the budget; 0 without a target',
    }),
    successRate: nullableNumber.meta({
      description:
        'Share of the runs that reached the target within the budget; null without a target or runs, and if the success of a run is unknown',
    }),
    successRateCi: interval.nullable(),
    ert: nullableNumber.meta({
      description:
        'Expected runtime (ERT) in evaluations; null if `solved` is 0 (infinite), if `successRate` is null, and if the evaluations of all solved runs are unknown',
      ...runtimeInfinityMark,
    }),
    ertInterval: runtimeInterval.nullable().meta({
      description: '95 % interval (MOVER); null if `ert` is null',
    }),
    sp1: nullableNumber.meta({
      description: 'SP1 in evaluations; null if `ert` is null',
      ...runtimeInfinityMark,
    }),
    medianBest: nullableNumber.meta({
      description:
        'Median best fitness. A fitness beyond the target counts as the target, and a failure counts as worse than any value. The median is null if the fitness of a run is unknown, and if the median is not finite',
    }),
    meanBest: nullableNumber.meta({
      description:
        'Mean best fitness. A fitness beyond the target counts as the target. The mean is null if a run counts as FAILED or has no finite value',
    }),
    stdBest: nullableNumber,
  })
  .meta({ id: 'AtCommonBudget' });
export type AtCommonBudget = z.infer<typeof commonBudgetResults>;

/** Results of the runs of a group. */
export const groupSummary = z
  .object({
    algorithm: z.string().meta({ description: 'Name of the group' }),
    label: z
      .string()
      .meta({
        description:
          'The displayed name. It comes from the display name that a user gave the group or its algorithm, otherwise from the stored data',
      })
      .register(maskings, { method: 'source' }),
    isBaseline: z.boolean().meta({
      description:
        'Whether a user marked the group as the baseline. Pairs with the baseline come first',
    }),
    ...successFields,
    sampleSize: z
      .int()
      .meta({ description: 'Number of completed runs with a best fitness, including ±∞' }),
    meanBest: nullableNumber,
    medianBest: nullableNumber.meta({
      description:
        'Median of the sample, including infinite values; null if the median is not finite',
    }),
    stdBest: nullableNumber,
    box,
    configurations: z.int().meta({
      description:
        'Number of configurations that the group pools. Seeds and budgets do not distinguish configurations',
    }),
    atCommonBudget: commonBudgetResults.nullable().meta({
      description:
        'Results within the common budget; null if there is no common budget, or if no tested pair includes the group',
    }),
    bestOn: z.array(measure).meta({
      description:
        'Measures on which the group is significantly better in each of its tested pairs. Tables show them in bold',
    }),
    experimentIds: z
      .array(z.string())
      .meta({ description: 'Experiments whose runs are in the group' }),
  })
  .meta({ id: 'GroupSummary' });
export type GroupSummary = z.infer<typeof groupSummary>;

/** Rank-sum test of the final fitness of two groups. */
export const pairwiseTest = z
  .object({
    algorithmA: z.string(),
    algorithmB: z.string(),
    sampleSizeA: z.int(),
    sampleSizeB: z.int(),
    pValue: nullableNumber.meta({
      description: 'p-value of the two-sided rank-sum test; null if there is nothing to test',
    }),
    holmAdjustedPValue: nullableNumber,
    attainablePValue: nullableNumber.meta({
      description:
        'Smallest p-value that the test can give, times the number of tested pairs, at most 1',
    }),
    betterAlgorithm: z.string().meta({
      description: 'The group that is better by the effect size; `none` if neither group is better',
    }),
    significantAt05: z.boolean().meta({ description: 'Whether `holmAdjustedPValue` < 0.05' }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    effectSize: nullableNumber.meta({
      description: 'Vargha-Delaney A12; above 0.5 if A is better',
    }),
  })
  .meta({ id: 'PairwiseTest' });
export type PairwiseTest = z.infer<typeof pairwiseTest>;

/** Friedman test of groups, with their average ranks. */
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
        label: makeMaskedText('source').optional(),
      }),
    ),
    blockBy: z.enum(['instance', 'function', 'seed']).nullable(),
    exactPValue: nullableNumber.meta({
      description:
        'p-value of the exact test; null without a test, for one block, for more than 6 groups, and if there are too many outcomes to count',
    }),
    imanDavenport: z
      .object({ statistic: z.number(), df1: z.int(), df2: z.int(), pValue: z.number() })
      .nullable()
      .meta({
        description:
          'Iman-Davenport test; null without a test, for one block, if there is an exact p-value, and if all blocks agree',
      }),
    criticalDifference: nullableNumber.meta({
      description: 'Critical difference of the Nemenyi test at 0.05; null without a test',
    }),
  })
  .meta({
    id: 'FriedmanResult',
    description:
      'Friedman test of the groups. Without a test, `blocks` is 0, and all values except `algorithms` and `ranks` are null',
  });
export type FriedmanResult = z.infer<typeof friedmanResult>;

/** A problem instance with its numbers of algorithms and runs. */
export const problemInstance = z
  .object({
    id: z.string(),
    label: makeMaskedText('source'),
    selected: z.boolean(),
    algorithms: z.int(),
    runs: z.int(),
    dimension: nullableNumber,
    configJson: z
      .string()
      .meta({
        description:
          'Canonical JSON of the sections problem, representation, grammar and constraints of the configuration',
      })
      .register(maskings, { method: 'source' }),
  })
  .meta({ id: 'ProblemInstance' });
export type ProblemInstance = z.infer<typeof problemInstance>;

/** The ECDFs over several targets, one for each group. */
export const severalTargets = z.object({
  targets: z.array(z.number()).meta({ description: 'Targets of `ecdfTargets`, largest first' }),
  targetsSource: z.enum(['query', 'levels']).meta({
    description:
      'Source of the targets. `levels` if the request has no targets. For each accuracy level of the profiles, the target is then the worst value with which a run reached the level, or the level itself if no run reached it',
  }),
  ecdfTargets: z
    .array(
      series.extend({
        pairs: z.int().meta({ description: 'Number of pairs of a run and a target' }),
        solvedPairs: z.int(),
        crossAt: nullableNumber.meta({
          description:
            'Median of the used evaluations of the runs that missed a target. Omits runs of 0 evaluations; null if no run remains',
        }),
      }),
    )
    .meta({ description: 'Share of (run, target) pairs reached within x evaluations' }),
});
export type SeveralTargets = z.infer<typeof severalTargets>;

/** Comparison of groups on one problem instance. */
export const problemComparison = z
  .object({
    problemType: z.string(),
    ...objectiveFields,
    groupBy: paramGrouping,
    verdict: z.array(verdictSentence).meta({
      description:
        'Sentences about the tests. Cautions about RUNNING runs and the target come first, then results of tests, then untested pairs',
    }),
    guard,
    algorithms: z.array(groupSummary),
    pairwiseWilcoxon: z.array(pairwiseTest).meta({
      description:
        'Tests of the stored final fitness of the COMPLETED runs, with Holm adjustment over the pairs. They ignore budgets. Only for existing scripts: claims do not use them',
    }),
    pairwise,
    friedman: friedmanResult,
    kruskalWallis: z
      .object({ statistic: z.number(), df: z.int(), pValue: z.number() })
      .nullable()
      .meta({
        description:
          'Kruskal-Wallis test over all completed runs with a best fitness, also over runs of groups that pool configurations. Null if fewer than two groups have such runs, and for a parameter of several algorithms',
      }),
    ecdfTotalRuns: z.array(series),
    ecdfSuccessfulRuns: z.array(series),
    dataProfiles: z.array(series),
    dataProfileUnit,
    performanceProfiles: z.array(series),
    instances: z.array(problemInstance),
    conditions: z.array(makeMaskedText('source')).nullable().meta({
      description:
        'Values of the query parameter `param` of a list that select this instance; null if no filters distinguish it from the others',
    }),
    varyingParameters: z.array(z.string()).meta({
      description:
        'Paths of parameters for `groupBy`: the parameters that differ between experiments of one algorithm on the selected instance. Omits `algorithm.type` and parameters in `stopping`',
    }),
    notes: z.array(analysisNote),
    ...severalTargets.shape,
    convergence: z.array(z.object({ name: z.string(), points: z.array(convergencePoint) })),
  })
  .meta({ id: 'ProblemComparison' });
export type ProblemComparison = z.infer<typeof problemComparison>;

/** Analysis of the runs of one experiment. */
export const experimentAnalysis = z
  .object({
    experimentId: z.string(),
    problemType: z.string(),
    problemInstance,
    ...objectiveFields,
    ...successFields,
    bestFitnessBox: box,
    bestFitnessValues: z.array(z.number()),
    bestFitnessHistogram: z
      .array(histogramBin)
      .meta({ description: 'Histogram of `bestFitnessValues`; the last bin includes its end' }),
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
    sameProblem: problemComparison.optional().meta({
      description: 'Comparison on the problem instance; omitted with `sameProblem=false`',
    }),
  })
  .meta({ id: 'ExperimentAnalysis' });
export type ExperimentAnalysis = z.infer<typeof experimentAnalysis>;

/** A problem type with its algorithms and its numbers of instances, experiments and runs. */
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

/** The traces of the runs of an experiment. */
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
        evaluationsToTarget: z.number().nullable().meta({
          description:
            'Evaluations of the first iteration that reached the target; null if no iteration reached it, and without a target',
        }),
        isThinned: z.boolean().meta({ description: 'Whether the points omit improvements' }),
        points: curve.meta({
          description:
            'Best so far by evaluations, at improvements and at the last evaluation with a finite fitness',
        }),
      }),
    ),
  })
  .meta({ id: 'ExperimentTraces' });
export type ExperimentTraces = z.infer<typeof experimentTraces>;
