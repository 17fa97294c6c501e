import { countOf, formatShare, formatStatistic } from '#shared/number-format.ts';
import type { Interval, Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { subjectOf } from './subject.ts';
import type { Cell, Column, Row, Table } from './table.ts';

/** Runtime first, as on the page: where there is a target, it is what the groups are compared by. */
const order = ['runtime', 'success', 'anytime', 'fitness'] as const satisfies readonly Measure[];

const testWords: Record<Measure, string> = {
  fitness: 'Wilcoxon rank-sum tests of the best fitness within the common budget',
  runtime:
    'Wilcoxon rank-sum tests of the evaluations to the target, infinite where it was missed,',
  success: "Fisher's exact tests of the success rates",
  anytime:
    'Wilcoxon rank-sum tests of the anytime performance (share of levels reached, over the logarithm of the budget)',
};

/**
 * One table of pairs for each measure that can be tested, runtime first; none with fewer than two groups. Intervals follow
 * their values; the better group is named only where the difference is claimed.
 */
export function pairTables(
  comparison: ProblemComparison,
  owner: string,
  label: (name: string) => string,
): Table[] {
  return order.flatMap((measure) => {
    const pairs = comparison.pairwise[measure] ?? [];
    return pairs.length === 0 ? [] : [pairTable(comparison, measure, pairs, owner, label)];
  });
}

function pairTable(
  comparison: ProblemComparison,
  measure: Measure,
  pairs: readonly MeasuredPair[],
  owner: string,
  label: (name: string) => string,
): Table {
  const { guard } = comparison;
  const testable = guard.pairs.filter(({ isTested }) => isTested).length;
  const difference =
    measure === 'success'
      ? ' The difference of the rates is A − B, with its Newcombe interval.'
      : '';
  return {
    id: `pairs-${measure}-${owner}`,
    caption:
      `Pairwise two-sided ${testWords[measure]} on ${subjectOf(comparison)}, ${methodWords(pairs)}adjusted over the ` +
      `measures of a pair (min-p permutation, step-down) and over ${countOf(testable, 'pair')} (Holm). ` +
      `${[guard.heading, guard.text].filter(Boolean).join(' ')} A12 is Vargha and Delaney's effect size with its ` +
      `95 % interval: above 0.5 A is better.${difference} Adjusted p-values of claims are bold; n.s.: not significant.`,
    columns: columnsOf(measure),
    rows: pairs.map((pair) => pairRow(pair, guard.isInterim, label)),
    notes: [...new Set(guard.pairs.flatMap(({ reason }) => reason?.message ?? []))],
  };
}

/** Methods differ inside a table only by the sizes of the samples. */
function methodWords(pairs: readonly MeasuredPair[]): string {
  const methods = new Set(pairs.flatMap(({ method }) => method ?? []));
  if (methods.size > 1) return 'exact below 50 runs on both sides, else asymptotic, ';
  return [...methods].map((method) => `${method}, `).join('');
}

function columnsOf(measure: Measure): Column[] {
  return [
    { key: 'a', header: 'A', format: 'text' },
    { key: 'b', header: 'B', format: 'text' },
    { key: 'nA', header: 'n of A', format: 'count' },
    { key: 'nB', header: 'n of B', format: 'count' },
    { key: 'pValue', header: 'p', format: 'pValue' },
    { key: 'adjusted', header: 'p (adj.)', format: 'pValue' },
    { key: 'effectSize', header: 'A12', format: 'text' },
    ...(measure === 'success'
      ? [{ key: 'difference', header: 'Difference', format: 'text' } as const]
      : []),
    { key: 'better', header: 'Better', format: 'text' },
  ];
}

function pairRow(pair: MeasuredPair, isInterim: boolean, label: (name: string) => string): Row {
  return {
    cells: {
      a: label(pair.a),
      b: label(pair.b),
      nA: pair.nA,
      nB: pair.nB,
      pValue: pair.pValue,
      adjusted: pair.adjustedPValue,
      effectSize: withInterval(pair.effectSize, pair.effectInterval, formatStatistic),
      difference: withInterval(pair.difference, pair.differenceInterval, formatShare),
      better: betterCell(pair, isInterim, label),
    },
    best: pair.significant ? ['adjusted'] : [],
  };
}

function betterCell(pair: MeasuredPair, isInterim: boolean, label: (name: string) => string): Cell {
  if (pair.pValue === null) return null;
  if (isInterim) return 'interim';
  return pair.significant ? label(pair.better) : 'n.s.';
}

/** "0.853 [0.634, 0.951]"; without an interval the value alone. */
function withInterval(
  value: number | null,
  interval: Interval | null,
  print: (value: number) => string,
): Cell {
  if (value === null) return null;
  if (interval === null) return print(value);
  return `${print(value)} [${print(interval.lower)}, ${print(interval.upper)}]`;
}
