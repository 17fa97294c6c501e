import { useNavigate, useSearchParams } from '@solidjs/router';
import { createMemo, Show, type JSX } from 'solid-js';
import type { ProblemSummary } from '#shared/schemas/analysis.ts';
import { useProblems } from '#renderer/api/analysis.ts';
import { Button } from '#renderer/components/Button.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { urlText } from '#renderer/components/explorer/list-view.ts';
import { NoDataYet } from '#renderer/components/explorer/NoDataYet.tsx';
import { SearchField } from '#renderer/components/explorer/SearchField.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { problemPath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { problemColumns } from './problem-columns.tsx';
import { matchingProblems } from './search.ts';

/** All problem types with what there is to compare on each. */
export function ProblemsPage(): JSX.Element {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const problems = useProblems();
  const text = () => urlText(search, 'q');
  const shown = createMemo(() => matchingProblems(problems.data ?? [], text()));
  const table = createTableModel<ProblemSummary>({
    name: 'problems',
    urlKey: '',
    columns: problemColumns,
    get rows() {
      return shown();
    },
    rowId: (problem) => problem.problemType,
    initialSort: { column: 'problem', direction: 'asc' },
  });
  useCommands(gridKeys);
  return (
    <>
      <PageHeader title="Problems" />
      <div class="table-bar">
        <SearchField
          label="Search problems"
          placeholder="Search problems and algorithms"
          value={text()}
          onSearch={(q, replace) => setSearch({ q: q || undefined }, { replace })}
        />
        <TableTools table={table} />
      </div>
      <QueryView query={problems} skeleton={<Skeleton shape="table" count={10} />}>
        {(all) => (
          <TableGrid
            table={table}
            label="Problems"
            onOpen={(problem) => navigate(problemPath(problem.problemType))}
            empty={
              <Show when={all().length > 0} fallback={<NoDataYet noun="experiments" />}>
                <EmptyState
                  title="No problem matches this search"
                  actions={
                    <Button onClick={() => setSearch({ q: undefined })}>Clear the search</Button>
                  }
                >
                  Nothing among {all().length} problems has “{text()}” in its name or its
                  algorithms.
                </EmptyState>
              </Show>
            }
          />
        )}
      </QueryView>
    </>
  );
}

/** Keys that the table handles itself, for the list of keys. */
const gridKeys = [
  { keys: '↑ ↓', description: 'Move between rows' },
  { keys: 'Enter', description: 'Open the problem' },
];
