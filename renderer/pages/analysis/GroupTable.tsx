import type { JSX } from 'solid-js';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { DataCard } from '#renderer/components/table/DataCard.tsx';
import { groupColumns } from './group-columns.tsx';
import type { GroupLook } from './group-looks.ts';
import { TableLatex } from './TableLatex.tsx';

interface GroupTableProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
}

/** How the groups did: counts, success, ERT, SP1 over all runs, best fitness over the completed ones. */
export function GroupTable(props: GroupTableProps): JSX.Element {
  return (
    <DataCard<GroupSummary>
      name="groups"
      urlKey="group-"
      title="Groups"
      description="Success rate, ERT and SP1 in evaluations over all runs; best fitness over the n completed ones; a best value is bold where the tests below support that it is"
      notes={props.notes}
      controls={<TableLatex table="groups" title="Groups" />}
      columns={groupColumns({ answer: props.answer, look: props.look })}
      rows={props.answer.algorithms}
      rowId={(group) => group.algorithm}
      empty="No runs on this instance."
    />
  );
}
