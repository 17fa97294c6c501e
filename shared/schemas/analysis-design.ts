import * as z from 'zod';
import { measures } from '#shared/words.ts';
import { makeWordFilterWithDefault, makeIntegerFilter, numberFilter } from './common.ts';

/** Maximum number of pairs in a family: the pairs of 150 groups. */
const maximumPairs = 11_175;

/** Returns the schema of a number in an open interval; `defaultValue` replaces a missing or blank value. */
function makeNumberSchema(lowerBound: number, upperBound: number, defaultValue: number) {
  return numberFilter
    .refine((value) => value === undefined || (value > lowerBound && value < upperBound), {
      error: `must be above ${lowerBound} and below ${upperBound}`,
    })
    .transform((value) => value ?? defaultValue);
}

/** A success rate in a query; blank text counts as absent. */
const rateFilter = numberFilter.refine(
  (value) => value === undefined || (value >= 0 && value <= 1),
  { error: 'must be from 0 to 1' },
);

/** Query of `GET /api/analysis/runs-needed`. */
export const runsNeededQuery = z
  .object({
    measure: makeWordFilterWithDefault(measures).describe('The measure of the test'),
    effect: makeNumberSchema(0.5, 1, 0.71).describe(
      'Smallest A12 to detect, for other measures than success. Default: 0.71 (large; 0.64 is medium, and 0.56 is small)',
    ),
    p1: rateFilter.describe('Success rate of one group; for success only'),
    p2: rateFilter.describe('Success rate of the other group; for success only'),
    power: makeNumberSchema(0, 1, 0.8).describe(
      'Probability of detecting the effect. Default: 0.8',
    ),
    alpha: makeNumberSchema(0, 0.5, 0.05).describe(
      'Significance level over all pairs. Default: 0.05',
    ),
    pairs: makeIntegerFilter(1, maximumPairs)
      .transform((pairs) => pairs ?? 1)
      .describe('Number of tested pairs of groups. Default: 1'),
  })
  .superRefine(({ measure, p1, p2, power, alpha, pairs }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (pairs >= 1 && power <= alpha / pairs) refuse('power', 'must be above alpha / pairs');
    if (measure !== 'success') return;
    for (const [path, rate] of Object.entries({ p1, p2 })) {
      if (rate === undefined) refuse(path, 'is required for measure=success, from 0 to 1');
    }
    if (p1 !== undefined && p2 !== undefined && Math.abs(p1 - p2) < 0.001) {
      refuse('p2', 'must differ from p1 by at least 0.001');
    }
  });
export type RunsNeededQuery = z.infer<typeof runsNeededQuery>;

/** Number of runs that a comparison needs. */
export const runsNeededResponse = z
  .object({
    measure: z.enum(measures),
    effect: z.number().nullable().meta({ description: 'A12; null for success' }),
    p1: z
      .number()
      .nullable()
      .meta({ description: 'Success rate of one group; null for other measures' }),
    p2: z.number().nullable(),
    power: z.number(),
    alpha: z.number(),
    pairs: z.int(),
    perGroup: z
      .number()
      .meta({ description: 'Number of runs that each group needs, including failed ones' }),
    method: z.enum(['noether', 'fisher-exact', 'fisher-approximate']).meta({
      description:
        'Method of the computation. The formula of Noether (1987) is for rank-sum tests. The exact power of Fisher’s test is for success. Its normal approximation replaces the exact power if the arcsine formula gives more than 500 runs per group, or if more than 1,000 are necessary',
    }),
  })
  .meta({ id: 'RunsNeededResponse' });
export type RunsNeededResponse = z.infer<typeof runsNeededResponse>;
