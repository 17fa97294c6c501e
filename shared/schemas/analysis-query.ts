import * as z from 'zod';
import { parseTargets, targetsMessage } from '#shared/syntax.ts';
import { directions, groupings } from '#shared/words.ts';
import type { Grouping } from './analysis.ts';
import { guardQuery } from './analysis-guard.ts';
import { experimentLatexTables, problemLatexTables } from './csv-tables.ts';
import {
  makeWordFilterWithDefault,
  makeFlagFilter,
  makeIntegerFilter,
  numberFilter,
  pathId,
  repeatedText,
  textFilter,
  makeWordFilter,
} from './common.ts';

/** `direction` of an analysis: min or max in any case; blank text counts as absent. */
const directionFilter = makeWordFilter(directions, 'must be min or max').describe(
  'Replaces the direction of the experiments',
);

/** Targets as {@link parseTargets} parses them: without duplicates, largest first; empty if absent. */
export const targetsFilter = repeatedText
  .transform((texts, context) => {
    const targets = parseTargets(texts);
    if (!targets) context.addIssue({ code: 'custom', message: targetsMessage });
    return targets ?? [];
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } });

/** Query parameters that replace the default direction and the default target of an analysis. */
export const objectiveQuery = {
  direction: directionFilter,
  target: numberFilter.describe('Target fitness. Replaces the configured target'),
};

const severalTargetsQuery = {
  targets: targetsFilter.describe(
    'Targets of the ECDF over several targets: numbers, or from..to:count for powers of ten. By default, the targets come from the accuracy levels of the profiles',
  ),
};

/** Query of `GET /api/experiments/{experimentId}/analysis`. */
export const experimentAnalysisQuery = z.object({
  ...objectiveQuery,
  ...severalTargetsQuery,
  ...guardQuery,
  sameProblem: makeFlagFilter(true).describe(
    'Whether the response includes the comparison with other groups on the same instance',
  ),
});
export type ExperimentAnalysisQuery = z.infer<typeof experimentAnalysisQuery>;

/** Maximum of the query parameter `points` of traces and of overlaid runs. */
export const maximumTracePoints = 2_000;

/** Query of `GET /api/experiments/{experimentId}/traces`. */
export const experimentTracesQuery = z.object({
  ...objectiveQuery,
  points: makeIntegerFilter(2, maximumTracePoints)
    .transform((points) => points ?? 200)
    .describe(
      'Maximum number of improvements of each trace. The response also contains the improvement that reached the target',
    ),
});
export type ExperimentTracesQuery = z.infer<typeof experimentTracesQuery>;

/** The problem type of experiments, in a path. */
export const problemTypePath = z.object({
  problemType: pathId.describe('Type of a problem as stored, URL-encoded'),
});

/** `groupBy` of the comparison across instances, in any case. A missing or blank value becomes `algorithm`. */
export const groupByFilter = makeWordFilterWithDefault(
  groupings,
  'must be algorithm, model, experiment or configuration',
).describe('The grouping of the runs');

/**
 * `groupBy` of the comparison on a problem, in any case. A missing or blank value becomes `algorithm`. `param:<path>`
 * groups by the values of a parameter within each algorithm.
 */
const comparisonGroupBy = z
  .string()
  .trim()
  .default('')
  .transform((text, context): Grouping => {
    const path = /^param:\s*(\S.*)$/is.exec(text)?.[1];
    if (path !== undefined) return `param:${path}`;
    const key = text === '' ? groupings[0] : groupings.find((name) => name === text.toLowerCase());
    if (key !== undefined) return key;
    const message = 'must be algorithm, model, experiment, configuration or param:<path>';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({
    description:
      'The grouping of the runs. `param:` with the path of a parameter, or its last key if that is unambiguous, groups by ' +
      'the values of the parameter within each algorithm',
    override: {
      default: groupings[0],
      anyOf: [
        { type: 'string', enum: [...groupings] },
        { type: 'string', pattern: '^param:' },
      ],
    },
  });

/** Query of `GET /api/analysis/problem/{problemType}`. */
export const problemComparisonQuery = z.object({
  ...objectiveQuery,
  ...severalTargetsQuery,
  algorithm: repeatedText.describe('Algorithm to include, in any case; repeatable. Default: all'),
  instance: textFilter.describe(
    'Id of the instance. Default: the instance with the most algorithms, on ties the one with the most runs',
  ),
  groupBy: comparisonGroupBy,
  ...guardQuery,
});
export type ProblemComparisonQuery = z.infer<typeof problemComparisonQuery>;

/** Returns the schema of the parameter that selects one table of a LaTeX export. */
function makeTableFilter<const Name extends string>(names: readonly [Name, ...Name[]]) {
  return makeWordFilter(names).describe('Table to export. Default: all');
}

/** Query of the LaTeX export of the comparison on a problem. */
export const comparisonLatexQuery = problemComparisonQuery.extend({
  table: makeTableFilter(problemLatexTables),
});
export type ComparisonLatexQuery = z.infer<typeof comparisonLatexQuery>;

/** Query of the LaTeX export of the analysis of an experiment. */
export const experimentLatexQuery = experimentAnalysisQuery.extend({
  table: makeTableFilter(experimentLatexTables),
});
export type ExperimentLatexQuery = z.infer<typeof experimentLatexQuery>;

/** The query parameters that select the runs in the tests, and the effect for the number of required runs. */
export type GuardChoice = Pick<ProblemComparisonQuery, 'failed' | 'stopped' | 'silent' | 'effect'>;
