import * as z from 'zod';
import { directions, exportKinds } from '#shared/words.ts';
import {
  infinityMark,
  makeWordFilter,
  nullableNumber,
  pathId,
  repeatedText,
  textFilter,
  wireInteger,
} from './common.ts';
import { trialScope } from './coco.ts';
import { makeMaskedText } from './masked.ts';

/** Path parameters of the endpoints of an export. */
export const exportParams = z.object({
  kind: z
    .enum(exportKinds, { error: `must be one of ${exportKinds.join(', ')}` })
    .describe('The kind of the exported subject'),
  subjectId: pathId.describe(
    'Id of a campaign or an experiment, or the type of a problem as stored, URL-encoded',
  ),
});

/** Query of the endpoints of an export. The endpoints reject parameters that only other kinds of subjects have. */
export const exportQuery = z.object({
  ...trialScope,
  algorithm: repeatedText.describe(
    'Algorithm to include in the export of a problem; repeatable. Default: all',
  ),
  instance: textFilter.describe(
    'Id of the instance to include in the export of a problem. Default: all',
  ),
  direction: makeWordFilter(directions, 'must be min or max').describe(
    'Replaces the direction of the experiments. Improvements of the fitness depend on the direction',
  ),
});
export type ExportQuery = z.infer<typeof exportQuery>;

const formatState = z
  .object({
    runs: z.int().meta({ description: 'Number of runs that the format can express' }),
    reason: z.string().nullable().meta({
      description:
        'Reason why the format can express none of the runs; null if it can express some',
    }),
  })
  .meta({ id: 'ExportFormat' });

/** Numbers of the selected runs and of the runs that each format can express. */
export const exportDescription = z
  .object({
    runs: z.int().meta({ description: 'Number of selected runs' }),
    ioh: formatState,
    coco: formatState,
    tables: formatState,
  })
  .meta({ id: 'ExportDescription' });
export type ExportDescription = z.infer<typeof exportDescription>;

/** An experiment in an export. */
export const exportedExperiment = z
  .object({
    experimentId: z.string(),
    runName: makeMaskedText('source').nullable(),
    algorithmType: makeMaskedText(),
    modelType: makeMaskedText(),
    problemType: makeMaskedText(),
    instanceId: z
      .string()
      .meta({ description: 'Id of the problem instance of the experiment, as in analyses' }),
    configJson: makeMaskedText(),
  })
  .meta({ id: 'ExportedExperiment' });
export type ExportedExperiment = z.infer<typeof exportedExperiment>;

const runFields = {
  runId: z.string(),
  experimentId: z.string(),
  algorithm: makeMaskedText(),
  problemType: makeMaskedText(),
  suite: makeMaskedText().nullable(),
  functionId: z.int().nullable(),
  dimension: z.int().nullable(),
  instance: z.int().meta({ description: 'Number of the instance; 0 if it is unknown' }),
  seed: wireInteger.nullable(),
  direction: z.enum(['min', 'max']),
};

/** A run in an export. */
export const exportedRun = z
  .object({
    ...runFields,
    status: z.string(),
    startTime: z.string().nullable(),
    isResumed: z.boolean().meta({
      description:
        'Whether the run continued from a checkpoint; `evaluations` may then be the count of only one segment',
    }),
    evaluations: nullableNumber,
    bestFitness: nullableNumber.meta({
      description:
        'Best fitness; null if there is none, and if it is infinite. `infinity` is the sign of an infinite one',
      ...infinityMark,
      'x-null-where': 'infinity',
    }),
    runtimeMillis: nullableNumber,
    infinity: z
      .union([z.literal(1), z.literal(-1)])
      .nullable()
      .meta({
        description:
          'Sign of an infinite best fitness; null if the best fitness is finite or missing',
      }),
    newestIteration: nullableNumber.meta({
      description:
        'Number of the newest iteration; null if there is none, or if the number is not an integer',
    }),
    trialBudget: nullableNumber.meta({
      description:
        'Smallest budget of the trials of the run in campaigns; null if no trial has a budget',
    }),
  })
  .meta({ id: 'ExportedRun' });
export type ExportedRun = z.infer<typeof exportedRun>;

/** A point of a trace in an export. */
export const exportedPoint = z
  .object({
    ...runFields,
    evaluations: z.number(),
    best: nullableNumber.meta({
      description: 'Best so far; null if no iteration of the run has a finite fitness',
    }),
  })
  .meta({
    id: 'ExportedPoint',
    description:
      'An improvement of a run, or its largest number of evaluations with its best fitness',
  });
export type ExportedPoint = z.infer<typeof exportedPoint>;
