import * as z from 'zod';
import {
  minimumComparedRuns,
  maximumComparedRuns,
  maximumOverlaidSeries,
  progressAxes,
} from '#shared/words.ts';
import { analysisNote } from './analysis-note.ts';
import { maximumTracePoints } from './analysis-query.ts';
import {
  makeWordFilterWithDefault,
  makeIntegerFilter,
  maximumIdLength,
  nullableNumber,
  repeatedText,
  textFilter,
} from './common.ts';
import { diagnosis, telemetryFamily } from './insights.ts';
import { ownObjective, runItem } from './run.ts';
import { makeMaskedText } from './masked.ts';

/** The x axis of overlaid runs. */
export const progressAxis = z.enum(progressAxes);
export type ProgressAxis = z.infer<typeof progressAxis>;

/** Ids of runs. The list may be empty, because {@link checkRuns} checks the number of ids of the whole query. */
const runIds = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((texts) => [texts ?? []].flat().map((text) => text.trim()))
  .meta({
    description: `Ids of ${minimumComparedRuns} to ${maximumComparedRuns} runs, each once`,
    override: {
      type: 'array',
      items: { type: 'string', maxLength: maximumIdLength },
      minItems: minimumComparedRuns,
      maxItems: maximumComparedRuns,
    },
  });

const axisFilter = makeWordFilterWithDefault(progressAxes).describe(
  'The x axis of the curves. Time is in seconds since the start of each run',
);

function getErrorOfRuns(runs: readonly string[]): string | null {
  if (runs.length < minimumComparedRuns || runs.length > maximumComparedRuns) {
    return `must name ${minimumComparedRuns} to ${maximumComparedRuns} runs, not ${runs.length}`;
  }
  if (runs.some((run) => run === '' || run.length > maximumIdLength)) {
    return `must be ids of 1 to ${maximumIdLength} characters`;
  }
  const repeatedRun = runs.find((run, index) => runs.indexOf(run) !== index);
  return repeatedRun === undefined
    ? null
    : `must name each run once, but names "${repeatedRun}" several times`;
}

/** Reports invalid runs of a query, and a reference that is not one of the runs of the query. */
function checkRuns(
  { run, reference }: { run: readonly string[]; reference?: string | undefined },
  context: z.RefinementCtx,
): void {
  const error = getErrorOfRuns(run);
  if (error !== null) context.addIssue({ code: 'custom', path: ['run'], message: error });
  if (reference !== undefined && !run.includes(reference)) {
    const message = 'must be one of the runs';
    context.addIssue({ code: 'custom', path: ['reference'], message });
  }
}

/** Query of `GET /api/analysis/runs`. */
export const runsOverlayQuery = z
  .object({
    run: runIds,
    by: axisFilter,
    reference: textFilter.describe('Id of the reference run, one of `run`'),
    points: makeIntegerFilter(2, maximumTracePoints)
      .transform((points) => points ?? 1_000)
      .describe(
        'Maximum number of x values. The response also contains the first and the last x of each run and, with `by=evaluations`, the x at which the run reached the target',
      ),
  })
  .superRefine(checkRuns);
export type RunsOverlayQuery = z.infer<typeof runsOverlayQuery>;

/** Values of a run minus those of the reference; null if either is missing, or if the difference is not finite. */
export const runDifference = z
  .object({
    best: nullableNumber.meta({
      description:
        'Difference of the best fitness; also null if the problem instances or the directions of the runs differ',
    }),
    evaluationsToTarget: nullableNumber,
    evaluations: nullableNumber,
    iterations: nullableNumber,
    runtimeMillis: nullableNumber,
  })
  .meta({ id: 'RunDifference' });
export type RunDifference = z.infer<typeof runDifference>;

/** A run in an overlay, with its results and its differences from the reference. */
export const comparedRun = runItem
  .omit({ params: true })
  .extend({
    ...ownObjective,
    isResumed: z.boolean(),
    instance: z.object({ id: z.string(), label: makeMaskedText('source') }),
    best: nullableNumber.meta({ description: 'Best fitness; for a RUNNING run, the best so far' }),
    evaluationsSpent: nullableNumber.meta({
      description:
        'Used evaluations; for a RUNNING run, the evaluations until now. Null if they are unknown or 0',
    }),
    iterationsDone: nullableNumber,
    elapsedMillis: nullableNumber.meta({
      description:
        'Wall time in milliseconds; for a RUNNING run, the time from its start to its newest iteration',
    }),
    solved: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the run reached its target; null for a run without a target' }),
    evaluationsToTarget: nullableNumber,
    difference: runDifference.nullable().meta({
      description:
        'Differences from the reference; null for the reference itself and without a reference',
    }),
  })
  .meta({ id: 'ComparedRun' });
export type ComparedRun = z.infer<typeof comparedRun>;

const numbers = z.array(nullableNumber);

/** Overlay of runs: their traces at common x values, their results, and their differing and equal parameters. */
export const runsOverlay = z
  .object({
    by: progressAxis,
    reference: z.string().nullable(),
    runs: z.array(comparedRun).meta({ description: 'The runs, in the order of the query' }),
    x: z.array(z.number()).meta({
      description: 'x values at which a run improved or has its `end`, ascending',
    }),
    isThinned: z.boolean().meta({ description: 'Whether `x` omits values because of `points`' }),
    traces: z.array(
      z.object({
        runId: z.string(),
        best: numbers.meta({
          description:
            'Best so far at each x. The value is null before the first point of a run, and after the last point of a RUNNING run. It is constant after the end of other runs',
        }),
        end: nullableNumber.meta({
          description:
            'x of the last point; for a RUNNING run, x of the last point with a value. Null for a run without a value, and with `by=time` for a run without usable times',
        }),
        difference: numbers.nullable().meta({
          description:
            'Best so far minus the best so far of the reference at each x; null for the reference, without a reference, and if the problem instance or the direction differs',
        }),
      }),
    ),
    parameters: z.object({
      differing: z.array(
        z.object({
          path: z.string(),
          isIncidental: z.boolean().meta({
            description: 'Whether the parameter affects only the name, storage or display of a run',
          }),
          values: z.array(makeMaskedText('source').nullable()).meta({
            description:
              'Values of the parameter, one per run, in the order of `runs`; null for a run without a value',
          }),
        }),
      ),
      equal: z.array(z.object({ path: z.string(), value: makeMaskedText('source').nullable() })),
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'RunsOverlay' });
export type RunsOverlay = z.infer<typeof runsOverlay>;

/** Query of `GET /api/analysis/runs/telemetry`. */
export const telemetryOverlayQuery = z
  .object({
    run: runIds,
    by: axisFilter,
    series: repeatedText
      .refine((keys) => keys.length <= maximumOverlaidSeries, {
        error: `must name at most ${maximumOverlaidSeries} series`,
      })
      .describe(
        'Key of a requested series; repeatable. Without a key, `series` of the response is empty',
      ),
  })
  .superRefine(checkRuns);
export type TelemetryOverlayQuery = z.infer<typeof telemetryOverlayQuery>;

/** Requested series of telemetry of several runs, with their diagnoses. */
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
            description:
              'Number of iterations of the run if the response contains only some of them; otherwise null',
          }),
          x: numbers.meta({ description: 'x of each iteration in the response; null if unknown' }),
        }),
      )
      .meta({ description: 'The runs, in the order of the query' }),
    keys: z.array(z.object({ key: z.string(), runs: z.int() })).meta({
      description:
        'Keys of the available series except `iteration` and `evaluations`, with the number of runs that have each series, the most frequent first',
    }),
    series: z
      .array(
        z.object({
          key: z.string(),
          values: z.array(numbers).meta({
            description:
              'One array per run, of the same length as its `x`; empty if the run has no such series',
          }),
        }),
      )
      .meta({ description: 'The requested series, in the order of the query' }),
  })
  .meta({ id: 'TelemetryOverlay' });
export type TelemetryOverlay = z.infer<typeof telemetryOverlay>;
