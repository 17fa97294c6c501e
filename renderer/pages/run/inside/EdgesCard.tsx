import { Show, type JSX } from 'solid-js';
import type { Insights } from '#shared/schemas/insights.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import { makeEdgeMatrix } from '#renderer/charts/figures/telemetry-maps.ts';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { makeFitnessColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { ShareBar } from './ShareBar.tsx';

type Edge = Insights['edges'][number];

const shapes = { table: 'Pairs', matrix: 'Matrix' } as const;

/** The strongest dependencies between bits in the latest iteration with any, as a table or a matrix. */
export function EdgesCard(props: { runId: string; insights: Insights }): JSX.Element {
  const [shape, setShape] = createUrlSignal('edges', asChoice(['table', 'matrix'], 'table'));
  const edges = (): Edge[] => props.insights.edges;
  const description = (): string => {
    const at = edges()[0]?.iteration;
    return at === undefined
      ? 'Strongest pairs of bits: mutual information and correlation'
      : `Strongest pairs of bits at iteration ${at}, the latest with any: mutual information and correlation`;
  };
  const controls = (): JSX.Element => (
    <ChoiceButtons labels={shapes} selected={shape()} onChoose={setShape} />
  );
  const clusters = (): string[] =>
    props.insights.clusters.length === 0
      ? []
      : [`Linked bits: ${props.insights.clusters.map((one) => one.join(', ')).join('; ')}.`];
  return (
    <Show
      when={shape() === 'matrix'}
      fallback={
        <EdgeTable
          edges={edges()}
          description={description()}
          controls={controls()}
          notes={clusters()}
        />
      }
    >
      <ChartCard
        subject={props.runId}
        entry={{
          id: 'dependencies',
          title: 'Dependency edges',
          describe: description,
          figure: () => makeEdgeMatrix(edges()),
          notes: clusters,
          controls,
        }}
      />
    </Show>
  );
}

interface EdgeTableProps {
  edges: readonly Edge[];
  description: string;
  controls: JSX.Element;
  notes: readonly string[];
}

function EdgeTable(props: EdgeTableProps): JSX.Element {
  const strongest = (): number => Math.max(0, ...props.edges.map(({ weight }) => weight ?? 0));
  const columns: readonly TableColumn<Edge>[] = [
    { id: 'bits', header: 'Bits', value: ({ i, j }) => `${i} – ${j}` },
    makeFitnessColumn('weight', 'Mutual information', ({ weight }) => weight, {
      explanation: 'Information that one bit contains about the other, in bits',
    }),
    {
      id: 'share',
      header: 'Relative strength',
      value: ({ weight }) => (weight ?? 0) / (strongest() || 1),
      cell: (edge) => <ShareBar share={(edge().weight ?? 0) / (strongest() || 1)} />,
    },
    makeFitnessColumn('correlation', 'Correlation', ({ correlation }) => correlation, {
      explanation: 'φ coefficient of the two bits, −1 to 1',
    }),
  ];
  return (
    <DataCard<Edge>
      title="Dependency edges"
      description={props.description}
      controls={props.controls}
      notes={props.notes}
      class="chart-card"
      name="dependency-edges"
      urlKey="edge-"
      columns={columns}
      rows={props.edges}
      rowId={({ i, j }) => `${i} ${j}`}
      defaultSort={{ column: 'weight', direction: 'desc' }}
      maxHeight="25rem"
      empty="No dependency data recorded."
    />
  );
}
