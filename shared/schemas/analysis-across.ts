import { z } from 'zod';
import { cellMeasures } from '#shared/words.ts';
import { friedmanResult, grouping } from './analysis.ts';
import { groupByFilter } from './analysis-query.ts';
import { analysisNote } from './analysis-note.ts';
import { firstOrWord, nullableNumber, nullIsInfinite, repeatedText, textFilter } from './common.ts';
import { objectiveDirection } from './run.ts';

const cellMeasure = z.enum(cellMeasures);
export type CellMeasure = z.infer<typeof cellMeasure>;

export const acrossQuery = z.object({
  instance: repeatedText.describe(
    'May be repeated: ids of the instances; without any, all that two groups or more have completed runs on',
  ),
  algorithm: repeatedText.describe('May be repeated: only these algorithms'),
  groupBy: groupByFilter,
  measure: firstOrWord(cellMeasures).describe('What stands in a cell, and is ranked'),
  control: textFilter.describe('Group that the others are compared with'),
});
export type AcrossQuery = z.infer<typeof acrossQuery>;

export const acrossInstance = z
  .object({
    id: z.string(),
    label: z.string(),
    problemType: z.string(),
    direction: objectiveDirection,
    targetFitness: nullableNumber,
    isShared: z
      .boolean()
      .meta({ description: 'All groups have results: it enters ranks and tests' }),
  })
  .meta({ id: 'AcrossInstance' });
export type AcrossInstance = z.infer<typeof acrossInstance>;

export const acrossCell = z
  .object({
    instance: z.string(),
    group: z.string(),
    n: z.int().meta({ description: 'Runs behind the value; 0 = the group lacks the instance' }),
    value: nullableNumber.meta({
      description: 'Null with n > 0: infinite, with the sign of `infinity`',
      ...nullIsInfinite,
      'x-null-where': 'infinity',
    }),
    infinity: z
      .union([z.literal(1), z.literal(-1)])
      .nullable()
      .meta({ description: 'Sign of an infinite value; null beside any other' }),
    rank: nullableNumber.meta({
      description: 'Inside the instance, 1 = best; ties share the mean',
    }),
    best: z.boolean(),
    indistinguishable: z.boolean().nullable().meta({
      description: 'From the best, at 0.05; null where not tested, as beside several best',
    }),
    pVersusBest: nullableNumber.meta({ description: 'Against the best, Holm inside the instance' }),
  })
  .meta({ id: 'AcrossCell' });
export type AcrossCell = z.infer<typeof acrossCell>;

export const across = z
  .object({
    measure: cellMeasure,
    groupBy: grouping,
    control: z.string().nullable(),
    groups: z.array(z.object({ group: z.string(), label: z.string() })),
    instances: z.array(acrossInstance),
    cells: z.array(acrossCell).meta({ description: 'By instance, then group, all of both' }),
    averageRanks: z.array(z.object({ group: z.string(), averageRank: z.number() })),
    winsTiesLosses: z
      .array(
        z.object({ a: z.string(), b: z.string(), wins: z.int(), ties: z.int(), losses: z.int() }),
      )
      .meta({ description: 'Of A against B, over the shared instances' }),
    friedman: friedmanResult,
    signedRank: z
      .object({
        n: z.int().meta({ description: 'Differences that are not 0' }),
        zeros: z.int(),
        wPlus: z.number().meta({ description: 'Rank sum of the instances on which A is better' }),
        wMinus: z.number(),
        pValue: z.number(),
        method: z.enum(['exact', 'asymptotic']).nullable(),
      })
      .nullable()
      .meta({ description: 'Over the shared instances; null unless there are exactly two groups' }),
    versusControl: z
      .array(
        z.object({
          group: z.string(),
          z: z.number().meta({ description: 'Below 0 the group is better than the control' }),
          pValue: z.number(),
          holmAdjustedPValue: z.number(),
        }),
      )
      .nullable()
      .meta({ description: 'Null without a control, and below two shared instances' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'Across' });
export type Across = z.infer<typeof across>;
