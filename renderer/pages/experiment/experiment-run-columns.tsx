import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { runResultColumns, seedColumn } from '#renderer/components/run-columns.tsx';
import { linkColumn, textColumn } from '#renderer/components/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { runPath } from '#renderer/paths.ts';

/** The columns of the runs of one experiment. */
export const experimentRunColumns: readonly TableColumn<ExperimentRunItem>[] = [
  linkColumn('run', 'Run', (run) => run.runId, {
    href: (run) => runPath(run.runId),
    fixed: true,
    maxWidthChars: 34,
  }),
  seedColumn,
  ...runResultColumns,
  textColumn('resumed', 'Resumed from', (run) => run.resumedFrom, {
    hiddenAtFirst: true,
    maxWidthChars: 30,
  }),
];
