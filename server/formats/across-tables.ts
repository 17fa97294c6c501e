import { countOf, formatStatistic, pValueWords } from '#shared/number-format.ts';
import type {
  Across,
  AcrossCell,
  AcrossInstance,
  CellMeasure,
} from '#shared/schemas/analysis-across.ts';
import { friedmanFigures } from './rank-table.ts';
import { uniqueSlug } from './subject.ts';
import {
  smallestOf,
  type Cell,
  type Column,
  type ColumnFormat,
  type Row,
  type Table,
} from './table.ts';

const measureWords: Record<CellMeasure, string> = {
  median: 'Median best fitness of the completed runs',
  mean: 'Mean best fitness of the completed runs',
  ert: 'Expected runtime (ERT) in evaluations',
  success: 'Success rate',
  anytime:
    'Mean anytime performance of the finished runs (share of levels reached, over the logarithm of the budget)',
};

const testWords: Record<CellMeasure, string> = {
  median: 'rank-sum test of the best fitness',
  mean: 'rank-sum test of the best fitness',
  ert: 'rank-sum test of the evaluations to the target',
  success: "Fisher's exact test",
  anytime: 'rank-sum test',
};

const formats: Record<CellMeasure, ColumnFormat> = {
  median: 'fitness',
  mean: 'fitness',
  ert: 'runtime',
  success: 'share',
  anytime: 'statistic',
};

/**
 * The tables across instances: instances × groups with average ranks below, the best values bold and those not
 * distinguishable from them marked; wins, ties and losses of the pairs; the comparison with the control.
 */
export function acrossTables(across: Across): Table[] {
  const label = labelIn(across);
  return [
    resultTable(across),
    ...(across.averageRanks.length < 2 ? [] : [winsTable(across, label)]),
    ...(across.versusControl === null ? [] : [controlTable(across, across.versusControl, label)]),
  ];
}

/** Key of the column of a group, which may have any name. */
function keyOf(group: string): string {
  return `of ${group}`;
}

function labelIn({ groups }: Across): (group: string) => string {
  const labels = new Map(groups.map(({ group, label }) => [group, label]));
  return (group) => labels.get(group) ?? group;
}

/** Ends every label: tables of other instances, groups or measures have another. */
function ownerOf({ measure, instances, groups }: Across): string {
  const what = [...instances.map(({ id }) => id), ...groups.map(({ group }) => group)].join(' ');
  return uniqueSlug(`${measure} ${what}`);
}

function resultTable(across: Across): Table {
  const { groups, instances, measure, cells } = across;
  const columns = groups.map(({ group, label }): Column => ({
    key: keyOf(group),
    header: label,
    format: formats[measure],
  }));
  const rows = instances.map((instance, index) =>
    instanceRow(instance, cells.slice(index * groups.length, (index + 1) * groups.length), measure),
  );
  return {
    id: `across-${ownerOf(across)}`,
    caption:
      `${measureWords[measure]} on ${countOf(instances.length, 'problem instance')}. The best of an instance is bold, unless all are equal; an ` +
      `asterisk marks what is not distinguishable from it at 0.05 (${testWords[measure]}, Holm's adjustment ` +
      `inside the instance).${ranksOf(across)}`,
    columns: [{ key: 'instance', header: 'Instance', format: 'text' }, ...columns],
    rows: [...rows, ...rankRow(across)],
    notes: across.notes.map(({ message }) => message),
  };
}

function instanceRow(
  { label, direction }: AcrossInstance,
  cells: readonly AcrossCell[],
  measure: CellMeasure,
): Row {
  const isFitness = measure === 'median' || measure === 'mean';
  return {
    cells: {
      instance: isFitness ? `${label} (${direction})` : label,
      ...Object.fromEntries(
        cells.map(({ group, value, infinity }): [string, Cell] => [
          keyOf(group),
          infinity === null ? value : infinity * Infinity,
        ]),
      ),
    },
    // Where all are equal, none stands out.
    best: cells.every(({ best, n }) => best || n === 0)
      ? []
      : cells.filter(({ best }) => best).map(({ group }) => keyOf(group)),
    marked: cells
      .filter(({ indistinguishable }) => indistinguishable)
      .map(({ group }) => keyOf(group)),
  };
}

function rankRow({ averageRanks }: Across): Row[] {
  if (averageRanks.length === 0) return [];
  const ranks = averageRanks.map(({ group, averageRank }): [string, number] => [
    keyOf(group),
    averageRank,
  ]);
  const texts = ranks.map(([key, rank]) => [key, formatStatistic(rank)]);
  const cells = { instance: 'Average rank', ...Object.fromEntries(texts) };
  return [{ cells, best: smallestOf(ranks) }];
}

function ranksOf(across: Across): string {
  const shared = across.instances.filter(({ isShared }) => isShared).length;
  if (shared === 0) return '';
  const instances = countOf(shared, 'instance');
  return ` Average ranks over the ${instances} that all groups share, 1 = best.${testOf(across)}`;
}

function testOf({ friedman, signedRank }: Across): string {
  if (friedman.statistic === null) return '';
  const ofTwo =
    signedRank === null
      ? ''
      : ` Wilcoxon's signed-rank test over ${signedRank.n} instances: ${pValueWords(signedRank.pValue)}.`;
  return ` Friedman test: ${friedmanFigures(friedman)}${ofTwo}`;
}

function winsTable(across: Across, label: (group: string) => string): Table {
  const columns: Column[] = [
    { key: 'a', header: 'A', format: 'text' },
    { key: 'b', header: 'B', format: 'text' },
    { key: 'wins', header: 'A wins', format: 'count' },
    { key: 'ties', header: 'Ties', format: 'count' },
    { key: 'losses', header: 'B wins', format: 'count' },
  ];
  return {
    id: `wins-${ownerOf(across)}`,
    caption:
      'Wins, ties and losses over the instances that all groups share, by the values of the cells.',
    columns,
    rows: across.winsTiesLosses.map((pair) => ({
      cells: { ...pair, a: label(pair.a), b: label(pair.b) },
    })),
  };
}

function controlTable(
  across: Across,
  comparisons: NonNullable<Across['versusControl']>,
  label: (group: string) => string,
): Table {
  return {
    id: `control-${ownerOf(across)}`,
    caption:
      `Average ranks compared with that of the control ${label(across.control ?? '')}, two-sided, with Holm's ` +
      'adjustment: below 0 a group is better than the control. Adjusted p-values below 0.05 are bold.',
    columns: [
      { key: 'group', header: 'Algorithm', format: 'text' },
      { key: 'z', header: 'z', format: 'statistic' },
      { key: 'pValue', header: 'p', format: 'pValue' },
      { key: 'holm', header: 'p (Holm)', format: 'pValue' },
    ],
    rows: comparisons.map(({ group, z, pValue, holmAdjustedPValue }) => ({
      cells: { group: label(group), z, pValue, holm: holmAdjustedPValue },
      best: holmAdjustedPValue < 0.05 ? ['holm'] : [],
    })),
  };
}
