import { createMemo, type Accessor, type JSX } from 'solid-js';
import type { ProblemSummary } from '#shared/schemas/analysis.ts';
import type { QueryValue } from '#renderer/api/client.ts';
import { type QueryState, useEndpoint } from '#renderer/api/queries.ts';
import { createExplorer, type ListResponse } from '#renderer/features/explorer/explorer.ts';
import { ExplorerView } from '#renderer/features/explorer/ExplorerView.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import {
  makeCountColumn,
  makeLinkColumn,
  makeTextColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getProblemPath } from '#renderer/paths.ts';
import { getMatchingProblems } from './matching-problems.ts';

const columns: readonly TableColumn<ProblemSummary>[] = [
  makeLinkColumn('problem', 'Problem', (problem) => problem.problemType, {
    href: (problem) => getProblemPath(problem.problemType),
    fixed: true,
    maxWidthChars: 40,
  }),
  makeTextColumn('algorithms', 'Algorithms', (problem) => problem.algorithms.join(', '), {
    maxWidthChars: 48,
    fromPixels: 800,
  }),
  makeCountColumn('instances', 'Instances', (problem) => problem.instances),
  makeCountColumn('experiments', 'Experiments', (problem) => problem.experiments),
  makeCountColumn('runs', 'Runs', (problem) => problem.runs),
  makeCountColumn('completed', 'Completed', (problem) => problem.completedRuns),
];

/** All problem types with their runs and algorithms. */
export function ProblemsPage(): JSX.Element {
  const problems = useEndpoint('listProblems');
  const explorer = createExplorer<ProblemSummary>({
    name: 'problems',
    noun: 'problem',
    isWhole: true,
    filters: [
      { kind: 'search', label: 'Search problems', placeholder: 'Search problems and algorithms' },
    ],
    columns: () => columns,
    rowId: (problem) => problem.problemType,
    defaultSort: { column: 'problem', direction: 'asc' },
    useRows: (query) => createMatchingQuery(problems, query),
  });
  return (
    <>
      <PageHeader title="Problems" />
      <ExplorerView
        explorer={explorer}
        label="Problems"
        total={problems.data?.length}
        href={(problem) => getProblemPath(problem.problemType)}
      />
    </>
  );
}

/** Creates the query of the problems that match the search, as one page of a list. */
function createMatchingQuery(
  problems: QueryState<readonly ProblemSummary[]>,
  query: Accessor<Readonly<Record<string, QueryValue>>>,
): QueryState<ListResponse<ProblemSummary>> {
  const data = createMemo(() => {
    if (!problems.data) return undefined;
    const items = getMatchingProblems(problems.data, [query()['q'] ?? ''].flat().join(' '));
    return { items, total: items.length, totalPages: 1 };
  });
  // Only the data differ; the rest of the query is that of all problems.
  return Object.create(problems, { data: { get: data } }) as QueryState<
    ListResponse<ProblemSummary>
  >;
}
