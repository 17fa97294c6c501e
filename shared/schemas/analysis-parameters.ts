import * as z from 'zod';
import { objectiveFields } from './analysis.ts';
import {
  ertInterval,
  ertMoverInterval,
  interval,
  runtimeOfRuns,
  successfulRuns,
} from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { objectiveQuery } from './analysis-query.ts';
import { makeFlagFilter, nullableNumber, repeatedText, textFilter } from './common.ts';
import { makeMaskedText } from './masked.ts';

/** Query of `GET /api/analysis/parameters`. */
export const parametersQuery = z.object({
  ...objectiveQuery,
  algorithm: repeatedText.describe(
    'Algorithm of the experiments to include; repeatable. Default: all',
  ),
  instance: textFilter.describe('Id of the instance. Default: the one with the most runs'),
  allParameters: makeFlagFilter(false).describe(
    'Whether the response also describes the parameters in `stopping`, and `algorithm.type`',
  ),
});
export type ParametersQuery = z.infer<typeof parametersQuery>;

/** Results of the runs with one value of a parameter. */
export const parameterValue = z
  .object({
    value: makeMaskedText('source')
      .nullable()
      .meta({ description: 'Value of the parameter; null for experiments without it' }),
    condition: makeMaskedText('source').nullable().meta({
      description:
        'Value of the query parameter `param` of a list that selects these experiments; null if no filter can select them',
    }),
    experiments: z.int(),
    experimentIds: z.array(z.string()),
    totalRuns: z.int(),
    successfulRuns,
    n: z.int().meta({ description: 'Number of completed runs with a best fitness' }),
    medianBest: nullableNumber,
    successRate: z.number(),
    successRateCi: interval.nullable().meta({ description: '95 % Wilson interval' }),
    ert: runtimeOfRuns,
    ertInterval,
    ertMoverInterval,
  })
  .meta({ id: 'ParameterValue' });
export type ParameterValue = z.infer<typeof parameterValue>;

/** A parameter that varies between experiments, with the results for each value. */
export const varyingParameter = z
  .object({
    path: z.string(),
    isNumeric: z
      .boolean()
      .meta({ description: 'Whether all values of the parameter except null are numbers' }),
    values: z.array(parameterValue),
    spearman: z
      .object({
        rho: z.number(),
        pValue: z.number().meta({ description: 'Two-sided p-value of this test alone' }),
        adjustedPValue: z.number().meta({
          description:
            '`pValue` with Holm adjustment over the parameters of the response that have a test',
        }),
        attainablePValue: z.number().meta({
          description:
            'Smallest `pValue` that this test can give with this number of values and their ties, without adjustment',
        }),
        n: z.int(),
      })
      .nullable()
      .meta({
        description:
          'Spearman correlation of the value with the median best fitness, over equally many runs of each value if the numbers of runs are correlated with the values. Omits the value null. Null for fewer than 4 values with a median, if all values or all medians are equal, and if `isNumeric` is false',
      }),
  })
  .meta({ id: 'VaryingParameter' });
export type VaryingParameter = z.infer<typeof varyingParameter>;

/** Results of the runs of one experiment. */
export const experimentResult = z
  .object({
    experimentId: z.string(),
    label: makeMaskedText('source'),
    algorithm: z.string().meta({ description: 'Type of the algorithm' }),
    totalRuns: z.int(),
    successfulRuns,
    n: z.int().meta({ description: 'Number of completed runs with a best fitness' }),
    medianBest: nullableNumber,
    ert: runtimeOfRuns,
  })
  .meta({ id: 'ExperimentResult' });
export type ExperimentResult = z.infer<typeof experimentResult>;

/** The varying parameters of the experiments on one problem instance. */
export const instanceParameters = z
  .object({
    instance: z.string(),
    label: makeMaskedText('source'),
    problemType: z.string(),
    conditions: z.array(makeMaskedText('source')).nullable().meta({
      description:
        'Values of the query parameter `param` of a list that select this instance; null if no filters distinguish it from the others',
    }),
    ...objectiveFields,
    experiments: z.int(),
    parameters: z.array(varyingParameter).meta({ description: 'The varying parameters, by path' }),
    experimentResults: z.array(experimentResult).meta({
      description:
        'Results of each experiment, by id. `experimentIds` of a value names the experiments with this value',
    }),
    omittedParameters: z.array(z.string()).meta({
      description:
        'Paths of the varying parameters that the response describes only with `allParameters=true`',
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'InstanceParameters' });
export type InstanceParameters = z.infer<typeof instanceParameters>;
