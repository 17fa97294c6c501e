import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount, formatPValue, formatStatistic } from '#shared/number-format.ts';
import type { PairwiseTest, ProblemComparison } from '#shared/schemas/analysis.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { GroupLook } from './group-looks.ts';
import { betterName, methodWords, pairId, significanceWords } from './pair-words.ts';
import { PairMatrix } from './PairMatrix.tsx';

interface PairwiseCardProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
  isPlaceholder: boolean;
}

/** Every pair of groups with its rank-sum test, Holm's adjustment and A12, as a table or a matrix. */
export function PairwiseCard(props: PairwiseCardProps): JSX.Element {
  const [isMatrix, showMatrix] = createUrlSignal('pairs', asFlag('matrix'));
  const columns = createMemo(() => pairColumns((algorithm) => props.look(algorithm).name));
  const table = createTableModel<PairwiseTest>({
    name: 'pairs',
    urlKey: 'pair-',
    get columns() {
      return columns();
    },
    get rows() {
      return props.answer.pairwiseWilcoxon;
    },
    rowId: pairId,
  });
  const testable = (): number =>
    props.answer.pairwiseWilcoxon.filter(({ pValue }) => pValue !== null).length;
  return (
    <Card
      title="Pairwise Wilcoxon rank-sum"
      description={`Best fitness, two-sided, Holm over ${formatCount(testable())} ${testable() === 1 ? 'pair' : 'pairs'}; A12 above 0.5 favours ${isMatrix() ? 'the row' : 'A'}`}
      controls={
        <>
          <Button size="small" pressed={isMatrix()} onClick={() => showMatrix(!isMatrix())}>
            Matrix
          </Button>
          <TableTools table={table} size="small" />
        </>
      }
      notes={props.notes}
      flush
    >
      <Show
        when={isMatrix() && props.answer.pairwiseWilcoxon.length > 0}
        fallback={
          <TableGrid
            table={table}
            label="Pairwise tests"
            isPlaceholder={props.isPlaceholder}
            maxHeight="420px"
            empty={<p class="card-empty">A test needs two groups; here is one.</p>}
          />
        }
      >
        <PairMatrix answer={props.answer} look={props.look} />
      </Show>
    </Card>
  );
}

type PairColumn = TableColumn<PairwiseTest>;

function pairColumns(nameOf: (algorithm: string) => string): readonly PairColumn[] {
  return [
    { id: 'a', header: 'A', fixed: true, value: (pair) => nameOf(pair.algorithmA) },
    { id: 'b', header: 'B', fixed: true, value: (pair) => nameOf(pair.algorithmB) },
    numberColumn('na', 'n of A', (pair) => pair.sampleSizeA, formatCount),
    numberColumn('nb', 'n of B', (pair) => pair.sampleSizeB, formatCount),
    numberColumn('p', 'p', (pair) => pair.pValue, formatPValue),
    {
      ...numberColumn('holm', 'p Holm', (pair) => pair.holmAdjustedPValue, formatPValue),
      cell: (pair) => (
        <Show when={pair().significantAt05} fallback={formatPValue(pair().holmAdjustedPValue)}>
          <strong>{formatPValue(pair().holmAdjustedPValue)}</strong>
        </Show>
      ),
    },
    numberColumn('a12', 'A12', (pair) => pair.effectSize, formatStatistic),
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

function numberColumn(
  id: string,
  header: string,
  value: (pair: PairwiseTest) => number | null,
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
