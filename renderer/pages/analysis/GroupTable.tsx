import { createMemo, type JSX } from 'solid-js';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { groupColumns } from './group-columns.tsx';
import type { GroupLook } from './group-looks.ts';

interface GroupTableProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
  isPlaceholder: boolean;
}

/** How the groups did: counts, success, ERT, SP1 over all runs, best fitness over the completed ones. */
export function GroupTable(props: GroupTableProps): JSX.Element {
  const columns = createMemo(() => groupColumns({ answer: props.answer, look: props.look }));
  const table = createTableModel<GroupSummary>({
    name: 'groups',
    urlKey: 'group-',
    get columns() {
      return columns();
    },
    get rows() {
      return props.answer.algorithms;
    },
    rowId: (group) => group.algorithm,
  });
  return (
    <Card
      title="Groups"
      description="Success rate, ERT and SP1 in evaluations over all runs; best fitness over the n completed ones; a best value is bold where the tests below support that it is"
      controls={<TableTools table={table} size="small" />}
      notes={props.notes}
      flush
    >
      <TableGrid
        table={table}
        label="Groups"
        isPlaceholder={props.isPlaceholder}
        maxHeight="60vh"
        empty={<p class="card-empty">No runs on this instance.</p>}
      />
    </Card>
  );
}
