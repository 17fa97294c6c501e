import { createMemo, type JSX } from 'solid-js';
import { describeCount, formatPValue, formatRuntime } from '#shared/number-format.ts';
import type { OptimizerPair, OptimizerTests } from '#shared/schemas/coco-analysis.ts';
import { getMessages } from '#renderer/ui/Notes.tsx';
import { makeCountColumn, makeNumberColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';

/** A tested pair with its dimension. */
type Row = OptimizerPair & { dimension: number };

const rising = { descendingFirst: false } as const;

const columns: readonly TableColumn<Row>[] = [
  makeCountColumn('dimension', 'Dimension', (row) => row.dimension, { fixed: true, ...rising }),
  { id: 'a', header: 'A', fixed: true, value: (row) => row.labelA ?? row.a },
  { id: 'b', header: 'B', fixed: true, value: (row) => row.labelB ?? row.b },
  makeCountColumn('functions', 'Functions', (row) => row.functions),
  makeCountColumn('instances', 'Instances', (row) => row.instances, {
    explanation: 'Instances of these functions that both optimizers have',
  }),
  makeNumberColumn('budget', 'Within', (row) => row.budget, formatRuntime, {
    ...rising,
    explanation:
      'Evaluations that both were granted; "–" where it differs by function or nothing limits it',
  }),
  makeNumberColumn('p', 'p', (row) => row.pValue, formatPValue, rising),
  makeNumberColumn('holm', 'p Holm', (row) => row.adjustedPValue, formatPValue, {
    ...rising,
    explanation: 'Adjusted over all tested rows of this table',
    isBold: (row) => row.significant,
  }),
  {
    id: 'faster',
    header: 'Faster',
    explanation:
      'The optimizer with the smaller runtimes, where the difference is significant at 0.05',
    value: (row) => {
      if (!row.significant) return null;
      return row.better === row.a ? (row.labelA ?? row.a) : (row.labelB ?? row.b);
    },
  },
];

/** Tests of all pairs of optimizers per dimension over its functions. */
export function OptimizerTestsCard(props: { tests: OptimizerTests }): JSX.Element {
  const rows = createMemo(() =>
    props.tests.dimensions.flatMap(({ dimension, pairs }) =>
      pairs.map((pair): Row => ({ dimension, ...pair })),
    ),
  );
  const tested = (): number => rows().filter(({ pValue }) => pValue !== null).length;
  const heading = (): string =>
    props.tests.interim ? 'Tests by dimension, interim' : 'Tests by dimension';
  return (
    <DataCard<Row>
      name="optimizer-tests"
      urlKey="tests."
      title={heading()}
      description={
        'Rank-sum test of the evaluations to the target, stratified by function, on the shared instances with equally many ' +
        `trials, within the common budget; ${describeCount(tested(), 'pair')}, Holm; × 2, because the functions are tested too`
      }
      notes={getMessages(props.tests.notes)}
      columns={columns}
      rows={rows()}
      rowId={(row) => JSON.stringify([row.dimension, row.a, row.b])}
      maxHeight="50vh"
      empty="Tests need at least two optimizers."
    />
  );
}
