import { describeCount, formatStatistic } from '#shared/number-format.ts';
import {
  describeBlocks,
  cellWords,
  describeDifference,
  hasAsterisks,
  describeMarks,
  describeTestedInstances,
  describePairClaims,
  describeUnattainableSignificance,
  describeUnscaledInstances,
  pairScaleWords,
} from '#shared/across-words.ts';
import { formatGroupTitle } from '#shared/group-metrics.ts';
import { isClearlyBest } from '#shared/claim-marks.ts';
import type {
  Across,
  AcrossCell,
  AcrossInstance,
  CellMeasure,
} from '#shared/schemas/analysis-across.ts';
import { formatFriedman } from './comparison-tables.ts';
import { makeUniqueSlug } from './descriptions.ts';
import type { Cell, Column, ColumnFormat, Row, Table } from './table.ts';

const formats: Record<CellMeasure, ColumnFormat> = {
  median: 'fitness',
  mean: 'fitness',
  ert: 'runtime',
  success: 'share',
  anytime: 'statistic',
};

/**
 * Returns the tables across instances: the results (instances × groups, with the average ranks in the last row); the
 * wins, ties and losses of the pairs; the tests of the pairs; the comparison with the control. Omits the row of ranks
 * if there are none, the wins without compared pairs, the tests without pairs, and the last table without comparisons
 * with a control. In the row of an instance, bold marks a group that is significantly better than each group in a test
 * with it. If no group is bold, but a group is significantly worse than another one, an asterisk marks each tested
 * group without a significantly better one. The tests of pairs over functions or instances decide which average ranks
 * are bold.
 */
export function makeAcrossTables(across: Across): Table[] {
  const getLabel = makeLabelGetter(across);
  return [
    makeResultTable(across),
    ...(hasComparedPairs(across) ? [makeWinsTable(across, getLabel)] : []),
    ...(across.pairTests.pairs.length === 0 ? [] : [makePairTable(across, getLabel)]),
    ...(across.versusControl === null
      ? []
      : [makeControlTable(across, across.versusControl, getLabel)]),
  ];
}

function hasComparedPairs({ winsTiesLosses }: Across): boolean {
  return winsTiesLosses.some(({ wins, ties, losses }) => wins + ties + losses > 0);
}

/** Returns the key of a group's column. It differs from all other keys, although a group may have any name. */
function getKey(group: string): string {
  return `of ${group}`;
}

function makeLabelGetter({ groups }: Across): (group: string) => string {
  const labels = new Map(groups.map((group) => [group.group, formatGroupTitle(group)]));
  return (group) => labels.get(group) ?? group;
}

/** Returns the owner of the tables: one slug of the measure, the ids of the instances and the names of the groups. */
function getOwner({ measure, instances, groups }: Across): string {
  const contents = [...instances.map(({ id }) => id), ...groups.map(({ group }) => group)].join(
    ' ',
  );
  return makeUniqueSlug(`${measure} ${contents}`);
}

function makeResultTable(across: Across): Table {
  const { groups, instances, measure, cells } = across;
  const columns = groups.map((group): Column => ({
    key: getKey(group.group),
    header: formatGroupTitle(group),
    format: formats[measure],
  }));
  const rows = instances.map((instance, index) =>
    makeInstanceRow(
      instance,
      cells.slice(index * groups.length, (index + 1) * groups.length),
      measure,
    ),
  );
  return {
    name: 'across',
    owner: getOwner(across),
    caption:
      `${cellWords[measure]}, on ${describeCount(instances.length, 'problem instance')}, each within the common budget of its groups. ` +
      `${[describeMarks(across), across.guard.heading].filter(Boolean).join(' ')}${describeAverageRanks(across)}`,
    columns: [{ key: 'instance', header: 'Instance', format: 'text' }, ...columns],
    rows: [...rows, ...makeRankRow(across)],
    notes: [
      ...across.instances.flatMap((instance) => {
        const words = describeDifference(instance);
        return words === '' ? [] : [`† ${instance.label}: the groups differ in ${words}.`];
      }),
      ...across.guard.notes,
      ...across.notes.map(({ message }) => message),
    ],
  };
}

function makeInstanceRow(
  instance: AcrossInstance,
  cells: readonly AcrossCell[],
  measure: CellMeasure,
): Row {
  const isFitness = measure === 'median' || measure === 'mean';
  const { label, direction } = instance;
  const mark = describeDifference(instance) === '' ? '' : ' †';
  return {
    cells: {
      instance: `${isFitness ? `${label} (${direction})` : label}${mark}`,
      ...Object.fromEntries(
        cells.map(({ group, value, infinity }): [string, Cell] => [
          getKey(group),
          infinity === null ? value : infinity * Infinity,
        ]),
      ),
    },
    boldColumns: cells.filter(({ clearlyBest }) => clearlyBest).map(({ group }) => getKey(group)),
    markedColumns: hasAsterisks(cells)
      ? cells.filter(({ indistinguishable }) => indistinguishable).map(({ group }) => getKey(group))
      : [],
  };
}

function makeRankRow({ averageRanks, pairTests }: Across): Row[] {
  if (averageRanks.length === 0) return [];
  const texts = averageRanks.map(({ group, averageRank }) => [
    getKey(group),
    formatStatistic(averageRank),
  ]);
  const cells = { instance: 'Average rank', ...Object.fromEntries(texts) };
  const bestGroups = averageRanks.filter(({ group }) => isClearlyBest(group, pairTests.pairs));
  return [{ cells, boldColumns: bestGroups.map(({ group }) => getKey(group)) }];
}

function describeAverageRanks(across: Across): string {
  if (across.averageRanks.length === 0) return '';
  const words = `Average ranks over ${describeTestedInstances(across)}, 1 = best; ${describeBlocks(across)}. An average rank is bold only where the tests of pairs claim it.`;
  return ` ${words}${describeFriedman(across)}`;
}

function describeFriedman({ friedman }: Across): string {
  return friedman.statistic === null ? '' : ` Friedman test: ${formatFriedman(friedman)}`;
}

function makeWinsTable(across: Across, getLabel: (group: string) => string): Table {
  const columns: Column[] = [
    { key: 'a', header: 'A', format: 'text' },
    { key: 'b', header: 'B', format: 'text' },
    { key: 'wins', header: 'A wins', format: 'count' },
    { key: 'ties', header: 'Ties', format: 'count' },
    { key: 'losses', header: 'B wins', format: 'count' },
  ];
  return {
    name: 'wins',
    owner: getOwner(across),
    caption: `Wins, ties and losses over ${describeTestedInstances(across)}, by the values of the cells.`,
    columns,
    rows: across.winsTiesLosses.map((pair) => ({
      cells: { ...pair, a: getLabel(pair.a), b: getLabel(pair.b) },
    })),
  };
}

/**
 * Returns the table of the tests of pairs over functions or instances. It names the better group only if the difference
 * is significant.
 */
function makePairTable(across: Across, getLabel: (group: string) => string): Table {
  const { pairs, scale } = across.pairTests;
  return {
    name: 'across-pairs',
    owner: getOwner(across),
    caption:
      `Wilcoxon's signed-rank tests of the pairs over ${describeTestedInstances(across)}; ${describeBlocks(across)}; ` +
      `${pairScaleWords[scale]}. Holm's adjustment over the pairs. ${describePairClaims(across)}`,
    columns: [
      { key: 'a', header: 'A', format: 'text' },
      { key: 'b', header: 'B', format: 'text' },
      { key: 'blocks', header: 'Blocks', format: 'count' },
      { key: 'wins', header: 'A better', format: 'count' },
      { key: 'losses', header: 'B better', format: 'count' },
      { key: 'difference', header: 'Median difference', format: 'statistic' },
      { key: 'pValue', header: 'p', format: 'pValue' },
      { key: 'holm', header: 'p (Holm)', format: 'pValue' },
      { key: 'better', header: 'Better', format: 'text' },
    ],
    rows: pairs.map((pair) => ({
      cells: {
        a: getLabel(pair.a),
        b: getLabel(pair.b),
        blocks: pair.blocks,
        wins: pair.wins,
        losses: pair.losses,
        difference: pair.medianDifference,
        pValue: pair.pValue,
        holm: pair.holmAdjustedPValue,
        better: pair.significant ? getLabel(pair.better) : null,
      },
    })),
    notes: [describeUnscaledInstances(across), describeUnattainableSignificance(across)].filter(
      Boolean,
    ),
  };
}

function makeControlTable(
  across: Across,
  comparisons: NonNullable<Across['versusControl']>,
  getLabel: (group: string) => string,
): Table {
  return {
    name: 'control',
    owner: getOwner(across),
    caption:
      `Average ranks compared with that of the control ${getLabel(across.control ?? '')}, two-sided, with Holm's ` +
      'adjustment: below 0 the average rank of a group is better than that of the control. Only the tests of pairs claim differences.' +
      (across.pairTests.isInterim ? ` ${describePairClaims(across)}` : ''),
    columns: [
      { key: 'group', header: 'Algorithm', format: 'text' },
      { key: 'z', header: 'z', format: 'statistic' },
      { key: 'pValue', header: 'p', format: 'pValue' },
      { key: 'holm', header: 'p (Holm)', format: 'pValue' },
    ],
    rows: comparisons.map(({ group, z, pValue, holmAdjustedPValue }) => ({
      cells: { group: getLabel(group), z, pValue, holm: holmAdjustedPValue },
    })),
  };
}
