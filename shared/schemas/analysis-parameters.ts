import * as z from 'zod';
import { objectiveAnswer } from './analysis.ts';
import { interval, runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { objectiveQuery } from './analysis-query.ts';
import { nullableNumber, nullIsInfinite, repeatedText, textFilter } from './common.ts';
import { maskedText } from './masked.ts';

export const parametersQuery = z.object({
  ...objectiveQuery,
  algorithm: repeatedText.describe('May be repeated: only experiments with these algorithms'),
  instance: textFilter.describe('Id of the instance; the one with the most runs unless given'),
});
export type ParametersQuery = z.infer<typeof parametersQuery>;

export const parameterValue = z
  .object({
    value: maskedText('source')
      .nullable()
      .meta({ description: 'Null: these experiments do not have it' }),
    condition: maskedText('source').nullable().meta({
      description:
        'What `param` of a list takes for these experiments; null where no filter says it',
    }),
    experiments: z.int(),
    experimentIds: z.array(z.string()),
    totalRuns: z.int(),
    successfulRuns: z.int(),
    n: z.int().meta({ description: 'Completed runs with a best fitness' }),
    medianBest: nullableNumber,
    successRate: z.number(),
    successRateCi: interval.nullable().meta({ description: 'Wilson interval, 95 %' }),
    ert: nullableNumber.meta({ description: 'Null = no run succeeded', ...nullIsInfinite }),
    ertInterval: runtimeInterval.nullable(),
  })
  .meta({ id: 'ParameterValue' });
export type ParameterValue = z.infer<typeof parameterValue>;

export const varyingParameter = z
  .object({
    path: z.string(),
    isNumeric: z.boolean().meta({ description: 'Every experiment that has it has a number' }),
    values: z.array(parameterValue),
    spearman: z.object({ rho: z.number(), pValue: z.number(), n: z.int() }).nullable().meta({
      description: 'Of number and median; null below 4 values and where not all are numbers',
    }),
  })
  .meta({ id: 'VaryingParameter' });
export type VaryingParameter = z.infer<typeof varyingParameter>;

export const instanceParameters = z
  .object({
    instance: z.string(),
    label: maskedText('source'),
    problemType: z.string(),
    conditions: z.array(maskedText('source')).nullable().meta({
      description:
        'What `param` of a list takes for this instance of the problem; null where no filters tell it',
    }),
    ...objectiveAnswer,
    experiments: z.int(),
    parameters: z.array(varyingParameter).meta({ description: 'By path' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'InstanceParameters' });
export type InstanceParameters = z.infer<typeof instanceParameters>;
