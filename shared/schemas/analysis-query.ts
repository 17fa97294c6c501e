import * as z from 'zod';
import { parseTargets, targetsMessage } from '#shared/targets.ts';
import { directions, groupings } from '#shared/words.ts';
import type { Grouping } from './analysis.ts';
import { guardQuery } from './analysis-guard.ts';
import { latexOfExperiment, latexOfProblem } from './answer-tables.ts';
import {
  firstOrWord,
  flagFilter,
  integerFilter,
  numberFilter,
  pathId,
  repeatedText,
  textFilter,
  wordFilter,
} from './common.ts';

/** `direction` of an analysis: min or max in any case; empty text counts as absent. */
const directionFilter = wordFilter(directions, 'must be min or max').describe(
  'In place of the direction of the experiment',
);

/**
 * Targets as numbers, or as `from..to:count` for powers of ten with evenly spaced exponents; without duplicates,
 * largest first.
 */
export const targetsFilter = repeatedText
  .transform((texts, context) => {
    const targets = parseTargets(texts);
    if (!targets) context.addIssue({ code: 'custom', message: targetsMessage });
    return targets ?? [];
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } });

export const objectiveQuery = {
  direction: directionFilter,
  target: numberFilter.describe('Fitness to reach, in place of the configured target'),
};

const severalTargetsQuery = {
  targets: targetsFilter.describe(
    'Of the ECDF over several targets: numbers, or from..to:count for powers of ten; the levels of the profiles unless given',
  ),
};

export const experimentAnalysisQuery = z.object({
  ...objectiveQuery,
  ...severalTargetsQuery,
  ...guardQuery,
  sameProblem: flagFilter(true).describe(
    'Whether the comparison with others on the same instance is included',
  ),
});
export type ExperimentAnalysisQuery = z.infer<typeof experimentAnalysisQuery>;

/** Maximum number of points of a trace in a response. */
export const maximumTracePoints = 2_000;

export const experimentTracesQuery = z.object({
  ...objectiveQuery,
  points: integerFilter(2, maximumTracePoints)
    .transform((points) => points ?? 200)
    .describe('At most so many points on each trace'),
});
export type ExperimentTracesQuery = z.infer<typeof experimentTracesQuery>;

/** The problem type of experiments, in a path. */
export const problemTypePath = z.object({
  problemType: pathId.describe('Type of a problem as stored, URL-encoded'),
});

/** `groupBy` of an analysis, in any case; empty text counts as absent. */
export const groupByFilter = firstOrWord(
  groupings,
  'must be algorithm, model, experiment or configuration',
).describe('What the runs are grouped by');

/** `groupBy` of the comparison on a problem: also the values of a parameter inside each algorithm. */
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
      'What the runs are grouped by; `param:` and the path of a parameter, or its last key where that is unambiguous: the ' +
      'values of the parameter, which are compared inside each algorithm',
    override: {
      anyOf: [
        { type: 'string', enum: [...groupings] },
        { type: 'string', pattern: '^param:' },
      ],
    },
  });

export const problemComparisonQuery = z.object({
  ...objectiveQuery,
  ...severalTargetsQuery,
  algorithm: repeatedText.describe('May be repeated: only these groups'),
  instance: textFilter.describe(
    'Id of the instance; the one with the most algorithms, then runs, unless given',
  ),
  groupBy: comparisonGroupBy,
  ...guardQuery,
});
export type ProblemComparisonQuery = z.infer<typeof problemComparisonQuery>;

/** The parameter that selects one table of a LaTeX export. */
function tableFilter<const Name extends string>(names: readonly [Name, ...Name[]]) {
  return wordFilter(names).describe('Only this table; all unless given');
}

export const comparisonLatexQuery = problemComparisonQuery.extend({
  table: tableFilter(latexOfProblem),
});
export type ComparisonLatexQuery = z.infer<typeof comparisonLatexQuery>;

export const experimentLatexQuery = experimentAnalysisQuery.extend({
  table: tableFilter(latexOfExperiment),
});
export type ExperimentLatexQuery = z.infer<typeof experimentLatexQuery>;

/** The parameters that select which runs the tests include. */
export type GuardChoice = Pick<ProblemComparisonQuery, 'failed' | 'stopped' | 'silent' | 'effect'>;
