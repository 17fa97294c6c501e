import type { JSX } from 'solid-js';
import { formatShare } from '#shared/number-format.ts';
import type { Insights } from '#shared/schemas/insights.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { makeNumberColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { formatTrend } from './format-trend.ts';
import { ShareBar } from './ShareBar.tsx';

type Adjacency = Insights['adjacency'][number];

const columns: readonly TableColumn<Adjacency>[] = [
  { id: 'pair', header: 'Items', value: ({ from, to }) => `${from} → ${to}` },
  makeNumberColumn('frequency', 'Share of the elite', ({ frequency }) => frequency, formatShare),
  {
    id: 'bar',
    header: 'Bar',
    sortable: false,
    value: () => '',
    cell: (edge) => <ShareBar share={edge().frequency ?? 0} />,
  },
  makeNumberColumn('trend', 'Trend', ({ trend }) => trend, formatTrend, {
    explanation: 'Change of the share since the previous generation, in percentage points',
  }),
];

/** The most frequent neighbours of the latest iteration, and their trend. */
export function AdjacencyCard(props: { adjacency: readonly Adjacency[] }): JSX.Element {
  return (
    <Card
      title="Adjacency trends"
      description="Most frequent successions of items in the elite of the latest iteration, and their trend"
      class="chart-card"
      flush
    >
      <DataTable<Adjacency>
        plain
        name="adjacency"
        urlKey="adj-"
        label="Adjacency trends"
        columns={columns}
        rows={props.adjacency}
        rowId={({ from, to }) => `${from} ${to}`}
        defaultSort={{ column: 'frequency', direction: 'desc' }}
        maxHeight="25rem"
        empty="No adjacency data recorded."
      />
    </Card>
  );
}
