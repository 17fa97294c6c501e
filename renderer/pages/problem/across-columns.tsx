import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import {
  formatCount,
  formatFitness,
  formatPValue,
  formatStatistic,
} from '#shared/number-format.ts';
import type { Across, AcrossCell, CellMeasure } from '#shared/schemas/analysis-across.ts';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { Swatch } from '#renderer/pages/analysis/group-columns.tsx';
import type { GroupLook } from '#renderer/pages/analysis/group-looks.ts';
import { problemPath } from '#renderer/paths.ts';
import { cellValue, printCell, type AcrossRow, type RankedGroup } from './across-rows.ts';

type Look = (group: string) => GroupLook;

/** The columns of instances × groups: each instance leads to its problem, each group has a cell. */
export function acrossColumns({ groups, measure }: Across): readonly TableColumn<AcrossRow>[] {
  return [
    {
      id: 'instance',
      header: 'Instance',
      fixed: true,
      maxWidthChars: 48,
      value: ({ label }) => label,
      cell: (row, context) => (
        <A href={problemPath(row().problemType, row().id)} tabIndex={context.tabIndex()}>
          {row().label}
        </A>
      ),
    },
    { id: 'direction', header: 'Direction', value: ({ direction }) => direction },
    {
      id: 'target',
      header: 'Target',
      align: 'end',
      value: ({ targetFitness }) => targetFitness,
      cell: (row) => <>{formatFitness(row().targetFitness)}</>,
    },
    ...groups.map(({ group, label }, index): TableColumn<AcrossRow> => ({
      id: `group-${index}`,
      header: label,
      align: 'end',
      value: (row) => cellValue(row.cells.get(group)),
      fields: [
        { header: `${label}: n`, value: (row) => row.cells.get(group)?.n },
        { header: `${label}: rank`, value: (row) => row.cells.get(group)?.rank },
        { header: `${label}: p versus best`, value: (row) => row.cells.get(group)?.pVersusBest },
      ],
      cell: (row) => (
        <CellFigure cell={row().cells.get(group)} measure={measure} isEven={row().isEven} />
      ),
    })),
  ];
}

function CellFigure(props: {
  cell: AcrossCell | undefined;
  measure: CellMeasure;
  isEven: boolean;
}): JSX.Element {
  const text = (): string => printCell[props.measure](cellValue(props.cell));
  return (
    <Show
      when={props.cell?.best && !props.isEven}
      fallback={`${text()}${props.cell?.indistinguishable ? ' *' : ''}`}
    >
      <strong>{text()}</strong>
    </Show>
  );
}

/** The columns of the groups over all instances that they share. */
export function rankColumns(
  look: Look,
  control: string | null,
): readonly TableColumn<RankedGroup>[] {
  return [
    {
      id: 'group',
      header: 'Group',
      fixed: true,
      value: ({ label }) => label,
      cell: (row) => (
        <span class="group-name">
          <Swatch paletteIndex={look(row().group).paletteIndex} />
          {row().label}
        </span>
      ),
    },
    {
      ...numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, formatStatistic),
      descendingFirst: false,
    },
    numberColumn('wins', 'Wins', ({ wins }) => wins, formatCount),
    numberColumn('ties', 'Ties', ({ ties }) => ties, formatCount),
    numberColumn('losses', 'Losses', ({ losses }) => losses, formatCount),
    ...(control === null
      ? []
      : [
          {
            ...numberColumn(
              'control',
              `p Holm versus ${look(control).name}`,
              ({ pVersusControl }) => pVersusControl,
              formatPValue,
            ),
            explanation: 'Average ranks compared with that of the control, two-sided',
          },
        ]),
  ];
}

function numberColumn(
  id: string,
  header: string,
  value: (row: RankedGroup) => number | null,
  format: (value: number | null) => string,
): TableColumn<RankedGroup> {
  return { id, header, align: 'end', value, cell: (row) => <>{format(value(row()))}</> };
}
