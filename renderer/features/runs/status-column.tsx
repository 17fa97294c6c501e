import { createMemo, Show, type JSX } from 'solid-js';
import type { RunProgress } from '#shared/schemas/run.ts';
import { createNow } from '#renderer/state/now.ts';
import type { More } from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { isSilentAt } from './silence.ts';
import { StatusBadge } from './StatusBadge.tsx';

interface StatusColumn<Row> extends More<Row> {
  /** Content after the badge, such as the message of a failed run. */
  after?: TableColumn<Row>['cell'];
  /** Returns the progress of a RUNNING run, to mark a silent one; null for other runs. */
  progress?: (row: Row) => RunProgress | null;
  /** Returns whether all RUNNING runs of a row are silent. */
  isSilent?: (row: Row) => boolean;
}

/** Badge of a RUNNING run, amber once it is silent. */
function LiveBadge(props: { status: string; progress: RunProgress }): JSX.Element {
  const now = createNow(() => true);
  const isSilent = createMemo(() => isSilentAt(props.progress, now()));
  return <StatusBadge status={props.status} isSilent={isSilent()} />;
}

/** Creates a column of status badges, each with its details. */
export function makeStatusColumn<Row>(
  value: (row: Row) => string,
  { after, progress, isSilent, ...more }: StatusColumn<Row> = {},
): TableColumn<Row> {
  const cell: TableColumn<Row>['cell'] = (row, context) => (
    <span class="cell-status">
      <Show
        when={progress?.(row())}
        fallback={<StatusBadge status={value(row())} isSilent={isSilent?.(row()) === true} />}
      >
        {(progressOf) => <LiveBadge status={value(row())} progress={progressOf()} />}
      </Show>
      <Show when={after}>{(draw) => draw()(row, context)}</Show>
    </span>
  );
  return { id: 'status', header: 'Status', value, cell, ...more };
}
