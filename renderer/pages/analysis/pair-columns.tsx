import { Show, type JSX } from 'solid-js';
import {
  formatCount,
  formatFitness,
  formatPValue,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import type { Interval, Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { betterName, methodWords, significanceWords } from './pair-words.ts';

type PairColumn = TableColumn<MeasuredPair>;

/** The columns of the table of pairs, with what the measure has. */
export function pairColumns(
  measure: Measure,
  nameOf: (algorithm: string) => string,
): readonly PairColumn[] {
  return [
    { id: 'a', header: 'A', fixed: true, value: (pair) => nameOf(pair.a) },
    { id: 'b', header: 'B', fixed: true, value: (pair) => nameOf(pair.b) },
    numberColumn('na', 'n of A', (pair) => pair.nA, formatCount),
    numberColumn('nb', 'n of B', (pair) => pair.nB, formatCount),
    numberColumn('p', 'p', (pair) => pair.pValue, formatPValue),
    {
      ...numberColumn('holm', 'p Holm', (pair) => pair.holmAdjustedPValue, formatPValue),
      cell: (pair) => (
        <Show when={pair().significant} fallback={formatPValue(pair().holmAdjustedPValue)}>
          <strong>{formatPValue(pair().holmAdjustedPValue)}</strong>
        </Show>
      ),
    },
    {
      ...intervalColumn(
        'a12',
        'A12, 95 % CI',
        (pair) => pair.effectSize,
        (pair) => pair.effectInterval,
        formatStatistic,
      ),
      explanation: 'Vargha-Delaney: above 0.5 A is better; DeLong interval',
    },
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
    {
      ...numberColumn('attainable', 'Least p', (pair) => pair.attainablePValue, formatPValue),
      explanation: 'The smallest adjusted p that samples of these sizes and ties could give',
      hiddenAtFirst: true,
    },
    {
      id: 'method',
      header: 'Method',
      explanation: 'Exact with n below 50 on both sides, ties included, else asymptotic',
      value: methodWords,
      cell: (pair) => <span class="muted">{methodWords(pair())}</span>,
    },
  ];
}

/** By how much A and B differ, in what the measure counts in. */
function sizeColumn(measure: Measure): PairColumn {
  if (measure === 'success') {
    return {
      ...intervalColumn(
        'difference',
        'A − B, 95 % CI',
        (pair) => pair.difference,
        (pair) => pair.differenceInterval,
        formatShare,
      ),
      explanation: 'Difference of the success rates; Newcombe interval',
    };
  }
  return {
    ...numberColumn('shift', 'Shift A − B', (pair) => pair.shift, formatFitness),
    explanation:
      'Hodges-Lehmann: median of all differences; none where a run of either group did not reach the target',
  };
}

function numberColumn(
  id: string,
  header: string,
  value: (pair: MeasuredPair) => number | null,
  format: (value: number | null) => string,
): PairColumn {
  return {
    id,
    header,
    align: 'end',
    descendingFirst: false,
    value,
    cell: (pair) => <>{format(value(pair()))}</>,
  };
}

function intervalColumn(
  id: string,
  header: string,
  value: (pair: MeasuredPair) => number | null,
  interval: (pair: MeasuredPair) => Interval | null,
  format: (value: number | null) => string,
): PairColumn {
  return {
    ...numberColumn(id, header, value, format),
    fields: [
      { header: '95 % CI lower', value: (pair) => interval(pair)?.lower },
      { header: '95 % CI upper', value: (pair) => interval(pair)?.upper },
    ],
    cell: (pair) => (
      <>
        {format(value(pair()))} <Range interval={interval(pair())} format={format} />
      </>
    ),
  };
}

function Range(props: {
  interval: Interval | null;
  format: (value: number) => string;
}): JSX.Element {
  return (
    <Show when={props.interval}>
      {(range) => (
        <small class="muted">
          {props.format(range().lower)} – {props.format(range().upper)}
        </small>
      )}
    </Show>
  );
}
