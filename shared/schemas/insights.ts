import * as z from 'zod';
import { searchedDiagnoses } from '#shared/words.ts';
import { makeIntegerFilter, nullableNumber } from './common.ts';
import { makeMaskedText } from './masked.ts';

/** The representation families of telemetry. The genome of a grammar run is binary. */
export const telemetryFamily = z.enum(['binary', 'permutation', 'real', 'unknown']);
export type TelemetryFamily = z.infer<typeof telemetryFamily>;

/** Codes of findings about a run. The codes by which lists can filter runs come first. */
export const diagnosisCodes = [
  ...searchedDiagnoses,
  'WRONG_DIRECTION',
  'TARGET_UNREACHABLE',
  'RESTARTS',
  'PREMATURE_FIXATION',
  'DIVERSITY_LOST',
  'SIGMA_COLLAPSED',
  'SIGMA_EXPLODED',
  'ILL_CONDITIONED',
  'BEST_LOST',
  'NOT_FINITE',
  'ADAPTIVE_STORM',
] as const;

const runTab = z.enum(['fitness', 'diversity', 'insights', 'iterations', 'events']);

/** A finding about a run. */
export const diagnosis = z
  .object({
    code: z.enum(diagnosisCodes),
    severity: z.enum(['good', 'info', 'warning', 'error']),
    fromIteration: nullableNumber.meta({
      description: 'First iteration of the finding; null if no iteration shows the finding',
    }),
    toIteration: nullableNumber.meta({ description: 'Last iteration of the finding' }),
    message: z.string().meta({
      description: 'The finding, with its threshold if it has one, in one or two sentences',
    }),
    evidence: z
      .object({
        tab: runTab,
        series: z.array(z.string()).meta({
          description:
            'Keys of `series` or `model`. `best` and `mean` are the best and mean fitness of the iterations',
        }),
        value: nullableNumber.meta({ description: 'The observed value' }),
        threshold: nullableNumber.meta({ description: 'The threshold of the value' }),
      })
      .meta({
        description:
          'Tab and series of the run page that show the finding, with its value and threshold',
      }),
  })
  .meta({ id: 'Diagnosis' });
export type Diagnosis = z.infer<typeof diagnosis>;

const numbers = z.array(nullableNumber);
const total = z.int().nullable();

/** A value for each row of a vector and each iteration. */
export const heatMap = z
  .object({
    key: z.string(),
    title: z.string(),
    rowName: z.string().meta({ description: 'Meaning of a row: bit, item or dimension' }),
    iterations: z.array(z.int()).meta({ description: 'Iteration of each column' }),
    rows: z.array(z.string()).meta({ description: 'Index of each row in its vector' }),
    cells: z.array(numbers).meta({
      description: 'Values of each row, one per iteration; null if telemetry has no value',
    }),
    thinnedRows: total.meta({
      description: 'Number of rows, if the response contains only some of them; otherwise null',
    }),
    thinnedColumns: total.meta({
      description:
        'Number of iterations, if the response contains only some of them as columns; otherwise null',
    }),
  })
  .meta({ id: 'HeatMap' });
export type HeatMap = z.infer<typeof heatMap>;

/** Telemetry of a run as series and heat maps, with its diagnosis. */
export const insights = z
  .object({
    family: telemetryFamily,
    telemetryLag: z.int().meta({
      description:
        'Lag in generations: the telemetry of a row describes the population of this many generations earlier. In row 0, it ' +
        'describes the population of the row itself, as best, mean and standard deviation do in every row',
    }),
    thinnedIterations: total.meta({
      description:
        'Number of iterations of the run, if the response contains only evenly spaced ones; otherwise null',
    }),
    iterations: z.array(z.int()),
    evaluations: numbers,
    series: z.record(z.string(), numbers).meta({
      description:
        'Series by key of `metrics_json`, with one number per iteration; null if an iteration has no number',
    }),
    model: z
      .record(z.string(), numbers)
      .meta({ description: 'Series by key of `modelDiagnostics`, with one number per iteration' }),
    heatmaps: z.array(heatMap),
    edges: z
      .array(
        z.object({
          iteration: z.int(),
          i: z.int(),
          j: z.int(),
          weight: nullableNumber,
          correlation: nullableNumber,
        }),
      )
      .meta({ description: 'Dependencies in the newest iteration with such data' }),
    clusters: z
      .array(z.array(z.int()))
      .meta({ description: 'Clusters of bits in the newest iteration with such data' }),
    adjacency: z
      .array(
        z.object({ from: z.int(), to: z.int(), frequency: nullableNumber, trend: nullableNumber }),
      )
      .meta({ description: 'Adjacencies in the newest iteration with such data' }),
    eigenvalues: z.object({ iterations: z.array(z.int()), values: z.array(numbers) }).meta({
      description: 'Eigenvalues: one array of `values` per rank, in the order of the telemetry',
    }),
    adaptiveActions: z
      .array(
        z.object({
          iteration: z.int(),
          trigger: makeMaskedText(),
          actionType: makeMaskedText(),
          reason: makeMaskedText(),
        }),
      )
      .meta({
        description:
          'Actions in the iterations of the response; `adaptive_action` events contain all actions',
      }),
    diagnosis: z
      .array(diagnosis)
      .meta({ description: 'Diagnosis of the whole run, independent of `after`' }),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof insights>;

/** Query of `GET /api/runs/{runId}/insights`. */
export const insightsQuery = z.object({
  after: makeIntegerFilter(Number.MIN_SAFE_INTEGER).describe(
    'Iteration after which the response begins',
  ),
});
