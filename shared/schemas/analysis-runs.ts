import * as z from 'zod';
import {
  fewestComparedRuns,
  maximumComparedRuns,
  maximumOverlaidSeries,
  progressAxes,
} from '#shared/words.ts';
import { analysisNote } from './analysis-note.ts';
import { maximumTracePoints } from './analysis-query.ts';
import {
  firstOrWord,
  integerFilter,
  maximumIdLength,
  nullableNumber,
  repeatedText,
  textFilter,
} from './common.ts';
import { diagnosis, telemetryFamily } from './insights.ts';
import { ownObjective, runItem } from './run.ts';
import { maskedText } from './masked.ts';

/** The axes over which overlaid runs are drawn. */
export const progressAxis = z.enum(progressAxes);
export type ProgressAxis = z.infer<typeof progressAxis>;

/** The whole query checks the number of runs, because an empty list is valid here. */
const runIds = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((texts) => [texts ?? []].flat().map((text) => text.trim()))
  .meta({
    description: `Ids of ${fewestComparedRuns} to ${maximumComparedRuns} runs, each once`,
    override: {
      type: 'array',
      items: { type: 'string', maxLength: maximumIdLength },
      minItems: fewestComparedRuns,
      maxItems: maximumComparedRuns,
    },
  });

const byFilter = firstOrWord(progressAxes).describe(
  'What the curves are over; time is in seconds since the start of each run',
);

function faultOfRuns(runs: readonly string[]): string | null {
  if (runs.length < fewestComparedRuns || runs.length > maximumComparedRuns) {
    return `must name ${fewestComparedRuns} to ${maximumComparedRuns} runs, not ${runs.length}`;
  }
  if (runs.some((run) => run === '' || run.length > maximumIdLength)) {
    return `must be ids of 1 to ${maximumIdLength} characters`;
  }
  const repeated = runs.find((run, index) => runs.indexOf(run) !== index);
  return repeated === undefined ? null : `must name each run once: "${repeated}" is repeated`;
}

/** Reports invalid runs of a query, and a reference that is not one of them. */
function checkRuns(
  { run, reference }: { run: readonly string[]; reference?: string | undefined },
  context: z.RefinementCtx,
): void {
  const fault = faultOfRuns(run);
  if (fault !== null) context.addIssue({ code: 'custom', path: ['run'], message: fault });
  if (reference !== undefined && !run.includes(reference)) {
    const message = 'must be one of the runs';
    context.addIssue({ code: 'custom', path: ['reference'], message });
  }
}

export const runsOverlayQuery = z
  .object({
    run: runIds,
    by: byFilter,
    reference: textFilter.describe('Id of the run, one of `run`, that the others are set against'),
    points: integerFilter(2, maximumTracePoints)
      .transform((points) => points ?? 1_000)
      .describe('Places of x, besides the first and the last of each run and where it was solved'),
  })
  .superRefine(checkRuns);
export type RunsOverlayQuery = z.infer<typeof runsOverlayQuery>;

/** Differences of a run from the reference; null if either value is missing. */
export const runDifference = z
  .object({
    best: nullableNumber.meta({ description: 'Null too where the problem instance is another' }),
    evaluationsToTarget: nullableNumber,
    evaluations: nullableNumber,
    iterations: nullableNumber,
    runtimeMillis: nullableNumber,
  })
  .meta({ id: 'RunDifference' });
export type RunDifference = z.infer<typeof runDifference>;

export const comparedRun = runItem
  .omit({ params: true })
  .extend({
    ...ownObjective,
    isResumed: z.boolean(),
    instance: z.object({ id: z.string(), label: maskedText('source') }),
    best: nullableNumber.meta({ description: 'Best fitness; of a RUNNING run its best so far' }),
    evaluationsSpent: nullableNumber.meta({ description: 'So far, where it is RUNNING' }),
    iterationsDone: nullableNumber,
    elapsedMillis: nullableNumber.meta({
      description: 'Wall time; of a RUNNING run up to its newest row',
    }),
    solved: z.boolean().nullable().meta({ description: 'Null without a target' }),
    evaluationsToTarget: nullableNumber,
    difference: runDifference
      .nullable()
      .meta({ description: 'Against the reference; null for itself and without one' }),
  })
  .meta({ id: 'ComparedRun' });
export type ComparedRun = z.infer<typeof comparedRun>;

const numbers = z.array(nullableNumber);

export const runsOverlay = z
  .object({
    by: progressAxis,
    reference: z.string().nullable(),
    runs: z.array(comparedRun).meta({ description: 'In the order of the query' }),
    x: z.array(z.number()).meta({ description: 'Ascending; where any run improved or ended' }),
    isThinned: z.boolean().meta({ description: 'Places were left out' }),
    traces: z.array(
      z.object({
        runId: z.string(),
        best: numbers.meta({
          description:
            'Best so far at each x: null before the first point, and of a RUNNING run after its last; of others carried on',
        }),
        end: nullableNumber.meta({ description: 'x of the last point; null without any' }),
        difference: numbers
          .nullable()
          .meta({ description: 'Best so far less that of the reference, which has none' }),
      }),
    ),
    parameters: z.object({
      differing: z.array(
        z.object({
          path: z.string(),
          isIncidental: z
            .boolean()
            .meta({ description: 'Says only how a run was named, stored or shown' }),
          values: z
            .array(maskedText('source').nullable())
            .meta({ description: 'One a run, in their order; null where there is none' }),
        }),
      ),
      equal: z.array(z.object({ path: z.string(), value: maskedText('source').nullable() })),
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'RunsOverlay' });
export type RunsOverlay = z.infer<typeof runsOverlay>;

export const telemetryOverlayQuery = z
  .object({
    run: runIds,
    by: byFilter,
    series: repeatedText
      .refine((keys) => keys.length <= maximumOverlaidSeries, {
        error: `must name at most ${maximumOverlaidSeries} series`,
      })
      .describe('Keys of the series to send; without any only which there are'),
  })
  .superRefine(checkRuns);
export type TelemetryOverlayQuery = z.infer<typeof telemetryOverlayQuery>;

export const telemetryOverlay = z
  .object({
    by: progressAxis,
    runs: z
      .array(
        z.object({
          runId: z.string(),
          family: telemetryFamily,
          diagnosis: z.array(diagnosis),
          thinnedIterations: z.int().nullable().meta({
            description: 'How many iterations it has, where only some were read; else null',
          }),
          x: numbers.meta({ description: 'Of each iteration read; null where it is not known' }),
        }),
      )
      .meta({ description: 'In the order of the query' }),
    keys: z
      .array(z.object({ key: z.string(), runs: z.int() }))
      .meta({ description: 'Series that there are and how many runs have each, most first' }),
    series: z
      .array(
        z.object({
          key: z.string(),
          values: z.array(numbers).meta({
            description: 'One array a run, as long as its x; empty where it has no such series',
          }),
        }),
      )
      .meta({ description: 'Those requested, in the order of the query' }),
  })
  .meta({ id: 'TelemetryOverlay' });
export type TelemetryOverlay = z.infer<typeof telemetryOverlay>;
