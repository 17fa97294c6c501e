import type { JSX } from 'solid-js';
import { boldRule } from '#shared/group-figures.ts';
import { countOf } from '#shared/number-format.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { groupColumns } from './group-columns.tsx';
import type { GroupLook } from './group-looks.ts';
import { TableLatex } from './TableLatex.tsx';

interface GroupTableProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
}

/** Results of the groups within their common budget: counts, success, ERT, SP1, best fitness. */
export function GroupTable(props: GroupTableProps): JSX.Element {
  return (
    <DataCard<GroupSummary>
      name="groups"
      urlKey="group-"
      title="Groups"
      description={describeGroups(props.answer)}
      notes={props.notes}
      controls={<TableLatex table="groups" title="Groups" />}
      columns={groupColumns({ answer: props.answer, look: props.look })}
      rows={props.answer.algorithms}
      rowId={(group) => group.algorithm}
      empty="No runs on this instance."
    />
  );
}

function describeGroups({ guard }: ProblemComparison): string {
  const within =
    guard.commonBudget === null
      ? 'Over whole runs'
      : `Within ${countOf(guard.commonBudget, 'evaluation')}, the smallest common budget`;
  return `${within}. ${boldRule}`;
}
