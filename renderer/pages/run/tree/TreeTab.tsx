import { lazy, Suspense, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { GrammarTree } from '#shared/schemas/tree.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { Stat } from '#renderer/ui/Facts.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { makeCountColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { TreeForms } from './TreeForms.tsx';
import { TreePicture } from './TreePicture.tsx';
import './tree.css';

const Expression = lazy(async () => ({ default: (await import('./Expression.tsx')).Expression }));

/** The best program of a grammar run: as a tree, a formula, in all its forms, and its metrics. */
export function TreeTab(props: { tree: QueryState<GrammarTree> }): JSX.Element {
  return (
    <QueryView
      query={props.tree}
      skeleton={<Skeleton content="tree" shape={{ blockPixels: 420 }} />}
    >
      {(tree) => (
        <div class="run-cards">
          <Card title="Expression" description="The program as a formula">
            <Suspense fallback={<Skeleton content="drawing of the tree" shape="lines" count={1} />}>
              <Expression latex={tree().latex} />
            </Suspense>
          </Card>
          <TreePicture ast={tree().ast} />
          <TreeForms tree={tree()} />
          <TreeMetrics tree={tree()} />
        </div>
      )}
    </QueryView>
  );
}

interface OperatorUse {
  operator: string;
  uses: number;
}

const columns: readonly TableColumn<OperatorUse>[] = [
  { id: 'operator', header: 'Operator', value: (row) => row.operator },
  makeCountColumn('uses', 'Uses', (row) => row.uses),
];

function TreeMetrics(props: { tree: GrammarTree }): JSX.Element {
  const uses = (): OperatorUse[] =>
    Object.entries(props.tree.metrics.operatorUsage).map(([operator, count]) => ({
      operator,
      uses: count,
    }));
  return (
    <Card title="Metrics" description="Counts include unit productions">
      <dl class="stat-strip">
        <Stat term="Depth" value={formatCount(props.tree.metrics.depth)} />
        <Stat term="Nodes" value={formatCount(props.tree.metrics.size)} />
        <Stat term="Terminals" value={formatCount(props.tree.metrics.terminalCount)} />
        <Stat term="Rules" value={formatCount(props.tree.metrics.ruleCount)} />
      </dl>
      <DataTable<OperatorUse>
        name="operators"
        urlKey="op-"
        label="Operators"
        columns={columns}
        rows={uses()}
        rowId={({ operator }) => operator}
        defaultSort={{ column: 'uses', direction: 'desc' }}
        maxHeight="20rem"
        empty="The program is a single terminal without operators."
      />
      <h3 class="tree-heading">Decision vector</h3>
      <p class="mono tree-latex">{props.tree.decisionVector.join(' ') || 'Not stored.'}</p>
    </Card>
  );
}
