import { formatGroupTitle } from '#shared/group-metrics.ts';
import { A } from '@solidjs/router';
import { Show } from 'solid-js';
import { formatPValue, formatStatistic } from '#shared/number-format.ts';
import { describeDifference } from '#shared/across-words.ts';
import type {
  Across,
  AcrossCell,
  AcrossInstanceTest,
  AcrossPair,
} from '#shared/schemas/analysis-across.ts';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeNumberColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeDataColumnId } from '#renderer/ui/table/columns.ts';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { Swatch } from '#renderer/features/analysis/group-columns.tsx';
import { formatComparedWithin, getComparedWithin } from '#renderer/features/analysis/pair-words.ts';
import { getSamplesQuery } from '#renderer/features/analysis/guard-choice.ts';
import type { GroupLook } from '#renderer/features/analysis/group-looks.ts';
import { getProblemPath } from '#renderer/paths.ts';
import { getCellValue, printCell, type AcrossRow, type RankedGroup } from './across-rows.ts';

type Look = (group: string) => GroupLook;

/**
 * Returns the columns of instances × groups: each instance links to its problem with the same choice of runs, each
 * group has a cell.
 */
export function makeAcrossColumns({
  groups,
  measure,
  guard,
}: Across): readonly TableColumn<AcrossRow>[] {
  const samples = getSamplesQuery(guard);
  return [
    {
      id: 'instance',
      header: 'Instance',
      fixed: true,
      maxWidthChars: 48,
      value: ({ label }) => label,
      cell: (row, context) => (
        <A
          href={getProblemPath(row().problemType, row().id, samples)}
          tabIndex={context.tabIndex()}
        >
          {row().label}
        </A>
      ),
    },
    { id: 'direction', header: 'Direction', fromPixels: 1400, value: ({ direction }) => direction },
    makeFitnessColumn('target', 'Target', ({ targetFitness }) => targetFitness, {
      fromPixels: 1400,
    }),
    makeCountColumn('within', 'Compared within', ({ commonBudget }) => commonBudget, {
      explanation: 'Common budget of the groups on the instance, in evaluations',
    }),
    {
      id: 'differences',
      header: 'Groups differ in',
      maxWidthChars: 40,
      value: (row) => describeDifference(row) || null,
    },
    ...groups.map(({ group, ...named }): TableColumn<AcrossRow> => {
      const label = formatGroupTitle(named);
      const getCell = (row: AcrossRow) => row.cells.get(group);
      const print = (row: AcrossRow): string => printCell[measure](getCellValue(getCell(row)));
      return {
        id: makeDataColumnId('group', group),
        isOfData: true,
        header: label,
        align: 'end',
        value: (row) => getCellValue(getCell(row)),
        fields: [
          { header: `${label}: n`, value: (row) => getCell(row)?.n },
          { header: `${label}: rank`, value: (row) => getCell(row)?.rank },
          { header: `${label}: clearly best`, value: (row) => describeClearlyBest(getCell(row)) },
        ],
        cell: (row) => (
          <Show
            when={getCell(row())?.clearlyBest}
            fallback={`${print(row())}${row().hasAsterisks && getCell(row())?.indistinguishable ? ' *' : ''}`}
          >
            <strong>{print(row())}</strong>
          </Show>
        ),
      };
    }),
  ];
}

/** Returns the columns of the groups over all shared instances. */
export function makeRankColumns(
  getLook: Look,
  control: string | null,
): readonly TableColumn<RankedGroup>[] {
  return [
    {
      id: 'group',
      header: 'Group',
      fixed: true,
      maxWidthChars: 44,
      value: ({ label }) => label,
      cell: (row) => (
        <span class="swatch-name">
          <Swatch paletteIndex={getLook(row().group).paletteIndex} />
          <span class="clip">{row().label}</span>
        </span>
      ),
    },
    makeNumberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, formatStatistic, {
      descendingFirst: false,
      explanation: 'Bold: significantly better than every other group in the tests of pairs',
      isBold: (row) => row.isClearlyBest,
    }),
    makeCountColumn('wins', 'Wins', ({ wins }) => wins),
    makeCountColumn('ties', 'Ties', ({ ties }) => ties),
    makeCountColumn('losses', 'Losses', ({ losses }) => losses),
    ...(control === null ? [] : [makeControlColumn(getLook(control).name)]),
  ];
}

function describeClearlyBest(cell: AcrossCell | undefined): string | null {
  return cell ? (cell.clearlyBest ? 'yes' : 'no') : null;
}

/** Returns the columns of the tests of pairs on each instance. */
export function makeInstanceTestColumns(
  getLook: Look,
  labels: ReadonlyMap<string, string>,
): readonly TableColumn<AcrossInstanceTest>[] {
  const name = (group: string): string => getLook(group).name;
  return [
    {
      id: 'instance',
      header: 'Instance',
      fixed: true,
      maxWidthChars: 48,
      value: ({ instance }) => labels.get(instance) ?? instance,
    },
    { id: 'a', header: 'A', fixed: true, maxWidthChars: 24, value: ({ a }) => name(a) },
    { id: 'b', header: 'B', fixed: true, maxWidthChars: 24, value: ({ b }) => name(b) },
    {
      id: 'within',
      header: 'Compared within',
      explanation: 'Common budget of the pair in evaluations, or why it is not compared',
      maxWidthChars: 44,
      value: getComparedWithin,
      cell: (test) => <>{formatComparedWithin(test())}</>,
    },
    makeNumberColumn('p', 'p', ({ pValue }) => pValue, formatPValue, rising),
    makeNumberColumn(
      'adjusted',
      'Adjusted p',
      ({ adjustedPValue }) => adjustedPValue,
      formatPValue,
      {
        ...rising,
        explanation:
          'Adjusted over the measures of the pair and over the pairs of all instances; bold = significant',
        isBold: ({ significant }) => significant,
      },
    ),
    makeNumberColumn('a12', 'A12', ({ effectSize }) => effectSize, formatStatistic, rising),
    {
      id: 'better',
      header: 'Better',
      maxWidthChars: 24,
      value: ({ significant, better }) => (significant ? name(better) : null),
    },
  ];
}

const rising = { descendingFirst: false } as const;

/** Returns the columns of the tests of pairs. */
export function makePairColumns(getLook: Look): readonly TableColumn<AcrossPair>[] {
  const name = (group: string): string => getLook(group).name;
  return [
    { id: 'a', header: 'A', fixed: true, maxWidthChars: 24, value: ({ a }) => name(a) },
    { id: 'b', header: 'B', fixed: true, maxWidthChars: 24, value: ({ b }) => name(b) },
    makeCountColumn('blocks', 'Blocks', ({ blocks }) => blocks),
    makeCountColumn('wins', 'A better', ({ wins }) => wins),
    makeCountColumn('ties', 'Ties', ({ ties }) => ties),
    makeCountColumn('losses', 'B better', ({ losses }) => losses),
    makeNumberColumn(
      'difference',
      'Median difference',
      ({ medianDifference }) => medianDifference,
      formatStatistic,
      { explanation: 'Above 0 where A is better' },
    ),
    makeNumberColumn('p', 'p', ({ pValue }) => pValue, formatPValue),
    makeNumberColumn(
      'holm',
      'p Holm',
      ({ holmAdjustedPValue }) => holmAdjustedPValue,
      formatPValue,
    ),
    makeNumberColumn(
      'attainable',
      'Smallest p',
      ({ attainablePValue }) => attainablePValue,
      formatPValue,
      { explanation: 'Smallest adjusted p-value possible with this number of blocks and pairs' },
    ),
    {
      id: 'better',
      header: 'Better',
      maxWidthChars: 24,
      value: ({ significant, better }) => (significant ? name(better) : null),
    },
  ];
}

function makeControlColumn(name: string): TableColumn<RankedGroup> {
  const header = `p Holm versus ${name}`;
  return makeNumberColumn('control', header, ({ pVersusControl }) => pVersusControl, formatPValue, {
    explanation: 'Average rank compared with that of the control, two-sided',
  });
}
