import { A } from '@solidjs/router';
import { formatCount } from '#shared/number-format.ts';
import type { ProblemSummary } from '#shared/schemas/analysis.ts';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { problemPath } from '#renderer/paths.ts';

type ProblemColumn = TableColumn<ProblemSummary>;

/** The columns of the list of problems. */
export const problemColumns: readonly ProblemColumn[] = [
  {
    id: 'problem',
    header: 'Problem',
    fixed: true,
    value: (problem) => problem.problemType,
    cell: (problem, context) => (
      <A href={problemPath(problem().problemType)} tabIndex={context.tabIndex()}>
        {problem().problemType}
      </A>
    ),
  },
  {
    id: 'algorithms',
    header: 'Algorithms',
    maxWidthChars: 60,
    value: (problem) => problem.algorithms.join(', '),
    cell: (problem) => (
      <span title={problem().algorithms.join(', ')}>{problem().algorithms.join(', ')}</span>
    ),
  },
  countColumn('instances', 'Instances', (problem) => problem.instances),
  countColumn('experiments', 'Experiments', (problem) => problem.experiments),
  countColumn('runs', 'Runs', (problem) => problem.runs),
  countColumn('completed', 'Completed', (problem) => problem.completedRuns),
];

function countColumn(
  id: string,
  header: string,
  value: (problem: ProblemSummary) => number,
): ProblemColumn {
  return {
    id,
    header,
    align: 'end',
    value,
    cell: (problem) => <>{formatCount(value(problem()))}</>,
  };
}
