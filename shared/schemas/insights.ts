import * as z from 'zod';
import { searchedDiagnoses } from '#shared/words.ts';
import { integerFilter, nullableNumber } from './common.ts';
import { maskedText } from './masked.ts';

/** The representation families in telemetry. The genome of a grammar run is binary. */
export const telemetryFamily = z.enum(['binary', 'permutation', 'real', 'unknown']);
export type TelemetryFamily = z.infer<typeof telemetryFamily>;

/** Codes of findings about a run. Those that need no telemetry, by which runs can be filtered, come first. */
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

export const diagnosis = z
  .object({
    code: z.enum(diagnosisCodes),
    severity: z.enum(['good', 'info', 'warning', 'error']),
    fromIteration: nullableNumber.meta({
      description: 'First iteration that it concerns; null where no iteration shows it',
    }),
    toIteration: nullableNumber.meta({ description: 'Last iteration that it concerns' }),
    message: z
      .string()
      .meta({ description: 'What was found, with its threshold, in one or two sentences' }),
    evidence: z
      .object({
        tab: runTab,
        series: z.array(z.string()).meta({
          description: 'Keys of `series` or `model`; `best` and `mean` are those of the iterations',
        }),
        value: nullableNumber.meta({ description: 'What was found' }),
        threshold: nullableNumber.meta({ description: 'What it was compared with' }),
      })
      .meta({ description: 'Where the run page shows it' }),
  })
  .meta({ id: 'Diagnosis' });
export type Diagnosis = z.infer<typeof diagnosis>;

const numbers = z.array(nullableNumber);
const total = z.int().nullable();

/** A value for each row and iteration. */
export const heatMap = z
  .object({
    key: z.string(),
    title: z.string(),
    rowName: z.string().meta({ description: 'What a row is: bit, item or dimension' }),
    iterations: z.array(z.int()).meta({ description: 'One a column' }),
    rows: z.array(z.string()).meta({ description: 'Index of each row in its vector' }),
    cells: z
      .array(numbers)
      .meta({ description: 'One array a row; null where telemetry says nothing' }),
    thinnedRows: total.meta({ description: 'How many rows there are; null when all are here' }),
    thinnedColumns: total.meta({
      description: 'How many iterations there are to choose columns from; null when all are here',
    }),
  })
  .meta({ id: 'HeatMap' });
export type HeatMap = z.infer<typeof heatMap>;

export const insights = z
  .object({
    family: telemetryFamily,
    telemetryLag: z.int().meta({
      description:
        'Telemetry of a row describes the population this many generations before it (row 0 its own), while best, ' +
        'mean and standard deviation are those of the row',
    }),
    thinnedIterations: total.meta({
      description:
        'How many iterations the run has, of which those here were evenly chosen; null when none was left out',
    }),
    iterations: z.array(z.int()),
    evaluations: numbers,
    series: z.record(z.string(), numbers).meta({
      description: 'By key of `metrics_json`, one number per iteration; null where there is none',
    }),
    model: z
      .record(z.string(), numbers)
      .meta({ description: 'By key of `modelDiagnostics`, one number per iteration' }),
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
      .meta({ description: 'Dependencies of the newest iteration that has any' }),
    clusters: z
      .array(z.array(z.int()))
      .meta({ description: 'Of the newest iteration that has any' }),
    adjacency: z
      .array(
        z.object({ from: z.int(), to: z.int(), frequency: nullableNumber, trend: nullableNumber }),
      )
      .meta({ description: 'Of the newest iteration that has any' }),
    eigenvalues: z
      .object({ iterations: z.array(z.int()), values: z.array(numbers) })
      .meta({ description: 'One array of `values` a rank, largest first' }),
    adaptiveActions: z
      .array(
        z.object({
          iteration: z.int(),
          trigger: maskedText(),
          actionType: maskedText(),
          reason: maskedText(),
        }),
      )
      .meta({ description: 'Of the iterations here; `adaptive_action` events have all' }),
    diagnosis: z.array(diagnosis).meta({ description: 'Of the whole run, whatever `after` says' }),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof insights>;

export const insightsQuery = z.object({
  after: integerFilter(Number.MIN_SAFE_INTEGER).describe('Only iterations after this one'),
});
