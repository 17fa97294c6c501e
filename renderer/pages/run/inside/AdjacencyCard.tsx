import type { JSX } from 'solid-js';
import { formatShare } from '#shared/number-format.ts';
import type { Insights } from '#shared/schemas/insights.ts';
import { makeNumberColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { formatTrend } from './format-trend.ts';
import { ShareBar } from './ShareBar.tsx';

type Adjacency = Insights['adjacency'][number];

const columns: readonly TableColumn<Adjacency>[] = [
  { id: 'pair', header: 'Items', value: ({ from, to }) => `${from} → ${to}` },
  {
    ...makeNumberColumn<Adjacency, number>(
      'frequency',
      'Share of the elite',
      ({ frequency }) => frequency,
      formatShare,
    ),
    cell: (edge) => (
      <>
        <ShareBar share={edge().frequency ?? 0} /> {formatShare(edge().frequency)}
      </>
    ),
  },
  makeNumberColumn('trend', 'Trend', ({ trend }) => trend, formatTrend, {
    explanation: 'Change of the share since the previous generation, in percentage points',
  }),
];

/** The most frequent neighbours of the latest iteration, and their trend. */
export function AdjacencyCard(props: { adjacency: readonly Adjacency[] }): JSX.Element {
  return (
    <DataCard<Adjacency>
      title="Adjacency trends"
      description="Most frequent successions of items in the elite of the latest iteration, and their trend"
      class="chart-card"
      name="adjacency"
      urlKey="adj-"
      columns={columns}
      rows={props.adjacency}
      rowId={({ from, to }) => `${from} ${to}`}
      defaultSort={{ column: 'frequency', direction: 'desc' }}
      maxHeight="25rem"
      empty="No adjacency data recorded."
    />
  );
}
