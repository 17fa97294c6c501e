import { createVirtualizer } from '@tanstack/solid-virtual';
import { createMemo, For, type JSX } from 'solid-js';
import type { Scene } from './scene.ts';
import { formatTableCell, getTable } from './table.ts';

interface ChartTableProps {
  scene: Scene;
  title: string;
  heightPixels: number;
}

const rowPixels = 26;

/** Table of all numbers of a chart, which scrolls in the picture's place. */
export function ChartTable(props: ChartTableProps): JSX.Element {
  const table = createMemo(() => getTable(props.scene));
  let scroller: HTMLDivElement | undefined;
  const virtualizer = createVirtualizer({
    get count() {
      return table().rows.length;
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => rowPixels,
    overscan: 12,
    initialRect: { width: 0, height: 320 },
  });
  const before = (): number => virtualizer.getVirtualItems()[0]?.start ?? 0;
  const after = (): number =>
    virtualizer.getTotalSize() - (virtualizer.getVirtualItems().at(-1)?.end ?? 0);
  return (
    <div
      ref={(node) => (scroller = node)}
      class="chart-table"
      style={{ 'max-height': `${props.heightPixels}px` }}
      tabindex="0"
      role="region"
      aria-label={`${props.title}: numbers`}
    >
      <table aria-rowcount={table().rows.length + 1}>
        <thead>
          <tr>
            <For each={table().columns}>{(column) => <th scope="col">{column}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <tr aria-hidden="true" style={{ height: `${before()}px` }} />
          <For each={virtualizer.getVirtualItems()}>
            {(item) => (
              <tr aria-rowindex={item.index + 2}>
                <For each={table().rows[item.index]}>
                  {(cell) => <td>{formatTableCell(cell)}</td>}
                </For>
              </tr>
            )}
          </For>
          <tr aria-hidden="true" style={{ height: `${after()}px` }} />
        </tbody>
      </table>
    </div>
  );
}
