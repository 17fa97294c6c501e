import { createMemo, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { makeMonoColumn } from '#renderer/ui/table/column-kinds.tsx';
import { makeDataColumnId } from '#renderer/ui/table/columns.ts';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import {
  getComparedExperiments,
  makeDifferingRows,
  makeFoldedRows,
  type ComparedExperiment,
  type DifferingRow,
  type FoldedRow,
} from './parameter-rows.ts';

interface ParametersCardProps {
  overlay: RunsOverlay;
  notes: readonly string[];
}

/**
 * Table of the parameters that differ among the experiments of the runs, one column per experiment; equal parameters
 * are collapsed, with their count.
 */
export function ParametersCard(props: ParametersCardProps): JSX.Element {
  const experiments = createMemo(() => getComparedExperiments(props.overlay));
  const folded = createMemo(() => makeFoldedRows(props.overlay, experiments()));
  const description = (): string =>
    experiments().some(({ isReference }) => isReference)
      ? 'One column per experiment; ≠ marks differences from the reference run'
      : 'One column per experiment; identical parameters are collapsed below';
  return (
    <DataCard<DifferingRow>
      name="differing-parameters"
      urlKey="param-"
      title="Parameters that differ"
      description={description()}
      notes={props.notes}
      columns={[pathColumn, ...experiments().map(makeExperimentColumn)]}
      rows={makeDifferingRows(props.overlay, experiments())}
      rowId={({ path }) => path}
      empty={
        experiments().length === 1
          ? 'All runs belong to one experiment: only their seeds differ.'
          : 'No parameters differ.'
      }
      after={
        <Show when={folded().length > 0}>
          <details class="compare-folded">
            <summary>{describeCount(folded().length, 'identical parameter')}</summary>
            <DataTable<FoldedRow>
              name="equal-parameters"
              urlKey="equal-"
              label="Identical parameters"
              columns={foldedColumns}
              rows={folded()}
              rowId={({ path }) => path}
              maxHeight="50vh"
              empty={null}
            />
          </details>
        </Show>
      }
    />
  );
}

const pathColumn = makeMonoColumn<{ path: string }>('path', 'Parameter', ({ path }) => path, {
  fixed: true,
});

function makeExperimentColumn(
  { id, label, isReference }: ComparedExperiment,
  place: number,
): TableColumn<DifferingRow> {
  const value = ({ values }: DifferingRow): string | null => values[place]?.text ?? null;
  return {
    id: makeDataColumnId('e', id),
    isOfData: true,
    header: isReference ? `${label} (reference)` : label,
    explanation: id,
    term: null,
    align: 'auto',
    maxWidthChars: 34,
    value,
    cell: (row) => (
      <span
        class="mono"
        classList={{ muted: row().values[place]?.isAsReference === true }}
        title={value(row()) ?? undefined}
      >
        {row().values[place]?.isAsReference === false ? '≠ ' : ''}
        {value(row()) ?? '–'}
      </span>
    ),
  };
}

const foldedColumns: readonly TableColumn<FoldedRow>[] = [
  pathColumn,
  makeMonoColumn('value', 'Value', ({ value }) => value, { maxWidthChars: 60 }),
];
