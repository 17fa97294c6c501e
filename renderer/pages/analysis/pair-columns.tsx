import {
  formatCount,
  formatFitness,
  formatPValue,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import { mutedColumn, numberColumn } from '#renderer/components/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { betterName, methodWords, significanceWords } from './pair-words.ts';

type PairColumn = TableColumn<MeasuredPair>;

const rising = { descendingFirst: false } as const;

/** The columns of the table of pairs, with what the measure has. */
export function pairColumns(
  measure: Measure,
  nameOf: (algorithm: string) => string,
): readonly PairColumn[] {
  return [
    { id: 'a', header: 'A', fixed: true, value: (pair) => nameOf(pair.a) },
    { id: 'b', header: 'B', fixed: true, value: (pair) => nameOf(pair.b) },
    numberColumn('na', 'n of A', (pair) => pair.nA, formatCount, rising),
    numberColumn('nb', 'n of B', (pair) => pair.nB, formatCount, rising),
    numberColumn('p', 'p', (pair) => pair.pValue, formatPValue, rising),
    numberColumn('holm', 'p Holm', (pair) => pair.holmAdjustedPValue, formatPValue, {
      ...rising,
      isBold: (pair) => pair.significant,
    }),
    numberColumn('a12', 'A12, 95 % CI', (pair) => pair.effectSize, formatStatistic, {
      ...rising,
      explanation: 'Vargha-Delaney: above 0.5 A is better; DeLong interval',
      interval: (pair) => pair.effectInterval,
    }),
    sizeColumn(measure),
    { id: 'effect', header: 'Effect', value: (pair) => pair.effectLabel },
    {
      id: 'better',
      header: 'Better',
      explanation: 'Whom A12 favours',
      value: (pair) => betterName(pair, nameOf),
    },
    {
      id: 'significant',
      header: 'Significant',
      explanation: 'Whether the difference is significant at 0.05 after Holm; n.s. = it is not',
      value: significanceWords,
    },
    numberColumn('attainable', 'Least p', (pair) => pair.attainablePValue, formatPValue, {
      ...rising,
      explanation: 'The smallest adjusted p that samples of these sizes and ties could give',
      hiddenAtFirst: true,
    }),
    mutedColumn('method', 'Method', methodWords, {
      explanation: 'Exact with n below 50 on both sides, ties included, else asymptotic',
    }),
  ];
}

/** By how much A and B differ, in what the measure counts in. */
function sizeColumn(measure: Measure): PairColumn {
  if (measure === 'success') {
    return numberColumn('difference', 'A − B, 95 % CI', (pair) => pair.difference, formatShare, {
      ...rising,
      explanation: 'Difference of the success rates; Newcombe interval',
      interval: (pair) => pair.differenceInterval,
    });
  }
  return numberColumn('shift', 'Shift A − B', (pair) => pair.shift, formatFitness, {
    ...rising,
    explanation:
      'Hodges-Lehmann: median of all differences; none where a run of either group did not reach the target',
  });
}
