import {
  formatCount,
  formatFitness,
  formatPValue,
  formatShareDifference,
  formatStatistic,
  noValue,
} from '#shared/number-format.ts';
import type { Guard } from '#shared/schemas/analysis-guard.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import { BothEnds } from '#renderer/ui/BothEnds.tsx';
import { makeMutedColumn, makeNumberColumn } from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import {
  formatComparedWithin,
  getBetterName,
  getComparedWithin,
  describeMethod,
  getPairId,
  describeSignificance,
} from './pair-words.ts';

type PairColumn = TableColumn<MeasuredPair>;

const rising = { descendingFirst: false } as const;

/** Returns the columns of the table of pairs for a measure. */
export function makePairColumns(
  measure: Measure,
  { pairs, isInterim }: Pick<Guard, 'pairs' | 'isInterim'>,
  getName: (algorithm: string) => string,
): readonly PairColumn[] {
  const guards = new Map(pairs.map((pair) => [getPairId(pair), pair]));
  const getGuard = (pair: MeasuredPair) => guards.get(getPairId(pair));
  const getBudget = (pair: MeasuredPair) => {
    const { commonBudget = null, reason } = getGuard(pair) ?? {};
    return { commonBudget, reason: reason?.message ?? null };
  };
  return [
    makeGroupColumn('a', 'A', (pair) => getName(pair.a)),
    makeGroupColumn('b', 'B', (pair) => getName(pair.b)),
    makeNumberColumn('na', 'n of A', (pair) => pair.nA, formatCount, rising),
    makeNumberColumn('nb', 'n of B', (pair) => pair.nB, formatCount, rising),
    makeNumberColumn('p', 'p', (pair) => pair.pValue, formatPValue, rising),
    makeNumberColumn('adjusted', 'Adjusted p', (pair) => pair.adjustedPValue, formatPValue, {
      ...rising,
      explanation: 'Adjusted over the measures of the pair and over the pairs; bold = significant',
      isBold: (pair) => pair.significant,
    }),
    makeNumberColumn('pair', 'Pair p', (pair) => getGuard(pair)?.adjustedPValue, formatPValue, {
      ...rising,
      explanation: 'p-value of no difference on any measure, Holm over the pairs',
    }),
    makeNumberColumn('a12', 'A12, 95 % CI', (pair) => pair.effectSize, formatStatistic, {
      ...rising,
      explanation:
        'Vargha-Delaney: above 0.5 A is better; DeLong interval, simultaneous over the pairs and measures',
      interval: (pair) => pair.simultaneousEffectInterval,
    }),
    ...makeSizeColumns(measure),
    // The word for A12 is the first to give way in a narrow window.
    { id: 'effect', header: 'Effect', fromPixels: 1400, value: (pair) => pair.effectLabel },
    {
      id: 'better',
      maxWidthChars: 13,
      header: 'Better',
      explanation: 'The group that is significantly better',
      value: (pair) => getBetterName(pair, getName),
      cell: (pair) => <BothEnds text={getBetterName(pair(), getName) ?? noValue} />,
    },
    {
      id: 'significant',
      header: 'Significant',
      explanation: 'Adjusted p ≤ 0.05; n.s. = not significant; interim = a run is still running',
      value: (pair) => describeSignificance(pair, isInterim),
    },
    {
      id: 'within',
      header: 'Compared within',
      explanation: 'Common budget of the pair in evaluations, or why it is not compared',
      maxWidthChars: 44,
      value: (pair) => getComparedWithin(getBudget(pair)),
      cell: (pair) => <>{formatComparedWithin(getBudget(pair()))}</>,
    },
    makeNumberColumn(
      'needed',
      'Runs needed',
      (pair) => {
        const runsNeeded = getGuard(pair)?.runsNeeded;
        return measure === 'success' ? runsNeeded?.perGroupForSuccess : runsNeeded?.perGroup;
      },
      formatCount,
      {
        ...rising,
        explanation:
          measure === 'success'
            ? 'Runs per group for which Fisher’s exact test detects the smallest effect of interest in success rate with power 0.8'
            : 'Runs per group that detect the smallest effect of interest with power 0.8',
      },
    ),
    makeNumberColumn(
      'attainable',
      'Smallest attainable p',
      (pair) => pair.attainablePValue,
      formatPValue,
      {
        ...rising,
        explanation: 'Smallest adjusted p possible with these sample sizes and ties',
        isHiddenByDefault: true,
      },
    ),
    makeMutedColumn('method', 'Method', describeMethod, {
      isHiddenByDefault: true,
      explanation: 'Exact (ties included), or asymptotic for some groups of at least 50 runs',
    }),
  ];
}

/** Returns the column of the name of a group, whose end stays visible where it is truncated. */
function makeGroupColumn(
  id: string,
  header: string,
  name: (pair: MeasuredPair) => string,
): PairColumn {
  const cell: PairColumn['cell'] = (pair) => <BothEnds text={name(pair())} />;
  return { id, header, fixed: true, maxWidthChars: 17, value: name, cell };
}

/** Returns the columns of the difference between A and B, in the unit of the measure, with its interval. */
function makeSizeColumns(measure: Measure): PairColumn[] {
  if (measure === 'success') {
    const difference = makeNumberColumn<MeasuredPair, number>(
      'difference',
      'A − B, 95 % CI',
      (pair) => pair.difference,
      formatShareDifference,
      {
        ...rising,
        explanation:
          'Difference of the success rates in percentage points; Newcombe interval, simultaneous over the pairs and measures',
        interval: (pair) => pair.simultaneousDifferenceInterval,
      },
    );
    return [difference];
  }
  return [
    makeNumberColumn('shift', 'Shift A − B', (pair) => pair.shift, formatFitness, {
      ...rising,
      explanation:
        'Hodges-Lehmann: median of all differences; none where a run of either group missed the target',
    }),
    // Fitness can have many digits, so its interval needs a wide window.
    makeMutedColumn('shift-interval', 'Shift, 95 % CI', formatShiftInterval, {
      fromPixels: 1600,
      cell: (pair) => <span class="muted">{formatShiftInterval(pair()) ?? noValue}</span>,
      explanation:
        'Interval of the shift that belongs to the rank-sum test, simultaneous over the pairs and measures',
    }),
  ];
}

function formatShiftInterval({ simultaneousShiftInterval: ends }: MeasuredPair): string | null {
  return ends && `${formatFitness(ends.lower)} – ${formatFitness(ends.upper)}`;
}
