import { z } from 'zod';
import { groupings } from '#shared/words.ts';
import {
  flagFilter,
  integerFilter,
  numberFilter,
  pathId,
  repeatedText,
  textFilter,
} from './common.ts';

/** `direction` of an analysis: min or max in any case; empty text is absent. */
const directionFilter = z
  .string()
  .trim()
  .toLowerCase()
  .transform((text) => (text === '' ? undefined : text))
  .pipe(z.enum(['min', 'max'], { error: 'must be min or max' }).optional())
  .optional()
  .meta({ override: { type: 'string', enum: ['min', 'max'] } });

const objectiveQuery = { direction: directionFilter, target: numberFilter };

export const experimentAnalysisQuery = z.object({
  ...objectiveQuery,
  sameProblem: flagFilter(true),
});
export type ExperimentAnalysisQuery = z.infer<typeof experimentAnalysisQuery>;

/** Most points of a trace that are sent for a chart. */
export const maximumTracePoints = 2_000;

export const experimentTracesQuery = z.object({
  ...objectiveQuery,
  points: integerFilter(2, maximumTracePoints).transform((points) => points ?? 200),
});
export type ExperimentTracesQuery = z.infer<typeof experimentTracesQuery>;

/** The problem type of experiments, in a path. */
export const problemTypePath = z.object({ problemType: pathId });

export const problemComparisonQuery = z.object({
  ...objectiveQuery,
  algorithm: repeatedText,
  instance: textFilter,
  groupBy: z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => (text === '' ? 'algorithm' : text))
    .pipe(z.enum(groupings, { error: 'must be algorithm, model or experiment' }))
    .default('algorithm')
    .meta({ override: { type: 'string', enum: [...groupings] } }),
});
export type ProblemComparisonQuery = z.infer<typeof problemComparisonQuery>;
