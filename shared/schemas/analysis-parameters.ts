import { z } from 'zod';
import { runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { nullableNumber, textFilter } from './common.ts';
import { objectiveDirection } from './run.ts';

export const parametersQuery = z.object({
  instance: textFilter.describe('Id of the instance; the one with the most runs unless given'),
});
export type ParametersQuery = z.infer<typeof parametersQuery>;

export const parameterValue = z
  .object({
    value: z.string().nullable().meta({ description: 'Null: these experiments do not have it' }),
    experiments: z.int(),
    totalRuns: z.int(),
    n: z.int().meta({ description: 'Completed runs with a best fitness' }),
    medianBest: nullableNumber,
    successRate: z.number(),
    ert: nullableNumber.meta({ description: 'Null = no run succeeded' }),
    ertInterval: runtimeInterval.nullable(),
  })
  .meta({ id: 'ParameterValue' });
export type ParameterValue = z.infer<typeof parameterValue>;

export const varyingParameter = z
  .object({
    path: z.string(),
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
    label: z.string(),
    problemType: z.string(),
    objectiveDirection,
    targetFitness: nullableNumber,
    experiments: z.int(),
    parameters: z.array(varyingParameter).meta({ description: 'By path' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'InstanceParameters' });
export type InstanceParameters = z.infer<typeof instanceParameters>;
