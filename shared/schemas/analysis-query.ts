import { z } from 'zod';
import { groupings } from '#shared/words.ts';
import { integerFilter, numberFilter, pathId, textFilter } from './common.ts';

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
  sameProblem: z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => (text === '' ? 'true' : text))
    .pipe(z.enum(['true', 'false'], { error: 'must be true or false' }))
    .default('true')
    .transform((text) => text === 'true')
    .meta({ override: { type: 'boolean', default: true } }),
});
export type ExperimentAnalysisQuery = z.infer<typeof experimentAnalysisQuery>;

/** Names that may be repeated (`algorithm=umda&algorithm=pbil`); blank ones are dropped. */
const repeatedText = z
  .union([z.string(), z.array(z.string())])
  .transform((texts) => [texts].flat().map((text) => text.trim()))
  .transform((texts) => [...new Set(texts.filter(Boolean))])
  .optional()
  .transform((texts) => texts ?? [])
  .meta({ override: { type: 'array', items: { type: 'string' } } });

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
