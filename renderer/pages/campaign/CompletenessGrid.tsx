import { A } from '@solidjs/router';
import {
  createMemo,
  createSelector,
  createSignal,
  For,
  Index,
  onMount,
  Show,
  type Accessor,
  type JSX,
} from 'solid-js';
import type { CampaignCompleteness } from '#shared/schemas/coco.ts';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { getCampaignPath } from '#renderer/paths.ts';
import { createWindowSize } from '#renderer/state/window-size.ts';
import { PrintedPart } from '#renderer/ui/table/TableGrid.tsx';
import { createVirtualRange } from '#renderer/ui/table/virtual-range.ts';
import { WithTerms } from '#renderer/ui/TermCard.tsx';
import {
  getCellKey,
  getCellState,
  formatCell,
  describeCell,
  getSolvedShare,
} from './completeness-cells.ts';

interface Place {
  row: number;
  column: number;
}

/** A row of the grid: an optimizer in one dimension. */
interface Line {
  optimizerId: string;
  dimension: number;
  /** Whether it is the first one of its optimizer. */
  isFirst: boolean;
}

/** Above this number of cells, only those in view are rendered. */
const mostCells = 1500;

/** Height of a row in the font size of the page, and its distances from the rows above in pixels. */
const look = { rowRem: 1.75, gap: 2, optimizerGap: 8 };

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/**
 * Grid of optimizers × dimensions (rows) and functions (columns). One cell has the keyboard: arrows, Page keys, Home
 * and End move it (with Ctrl to the first and last row), Enter opens it. The line below reads the cell with the focus
 * or the pointer.
 */
export function CompletenessGrid(props: { completeness: CampaignCompleteness }): JSX.Element {
  let body!: HTMLTableSectionElement;
  let element!: HTMLDivElement;
  const [scroller, setScroller] = createSignal<HTMLDivElement | null>(null);
  // Before it is in the document, the element has no layout.
  onMount(() => setScroller(element));
  const getName = useAlgorithmNames(() => props.completeness.optimizers);
  const [active, setActive] = createSignal<Place>({ row: 0, column: 0 });
  const isActive = createSelector(() => `${active().row} ${active().column}`);
  const [describedPlace, setDescribedPlace] = createSignal<Place>();
  const functions = (): readonly number[] => props.completeness.functions;
  const cells = createMemo(
    () => new Map(props.completeness.cells.map((cell) => [getCellKey(cell), cell])),
  );
  const lines = createMemo(() => getLines(props.completeness));
  const isVirtual = createMemo(() => lines().length * functions().length > mostCells);
  const rowPixels = createRowPixels();
  const range = createVirtualRange({
    scroller,
    count: () => (isVirtual() ? lines().length : 0),
    getPixels: (row) => rowPixels() + (row > 0 && lines()[row]?.isFirst ? look.optimizerGap : 0),
    sizes: rowPixels,
    always: () => [active().row],
    overscan: () => 4,
  });
  const rendered = createMemo(() => (isVirtual() ? range.indices() : [...lines().keys()]));
  const spans = createMemo(() => getSpans(rendered(), lines()));
  const getPlace = ({ row, column }: Place) => {
    const { optimizerId = '', dimension = 0 } = lines()[row] ?? {};
    const place = { optimizerId, dimension, functionId: functions()[column] ?? 0 };
    return { ...place, cell: cells().get(getCellKey(place)) };
  };
  const describe = (position: Place): string => {
    const { cell, ...place } = getPlace(position);
    return describeCell(place, cell, getName());
  };
  const findLink = ({ row, column }: Place): HTMLElement | null =>
    body.querySelector(`tr[aria-rowindex="${row + 2}"] [aria-colindex="${column + 3}"] a`);
  const move = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const isToEnd = event.ctrlKey && Math.abs(step?.[1] ?? 0) === Infinity;
    if (!step || (event.ctrlKey && !isToEnd) || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { row, column } = active();
    const next = {
      row: clamp(row + (isToEnd ? step[1] : step[0]), lines().length - 1),
      column: clamp(column + step[1], functions().length - 1),
    };
    setActive(next);
    if (isVirtual()) range.scrollTo(next.row);
    findLink(next)?.focus();
  };
  return (
    <>
      <div class="completeness-scroll" ref={(node) => (element = node)}>
        <table
          class="completeness"
          role="grid"
          aria-label="Completeness of the campaign"
          aria-rowcount={lines().length + 1}
          aria-colcount={functions().length + 2}
          style={{
            '--functions': functions().length,
            '--cell-height': `${look.rowRem}rem`,
            '--optimizer-gap': `${look.optimizerGap}px`,
            'border-spacing': `${look.gap}px`,
          }}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">
                <WithTerms text="Optimizer" />
              </th>
              <th scope="col">Dimension</th>
              <Index each={functions()}>
                {(functionId) => <th scope="col">f{functionId()}</th>}
              </Index>
            </tr>
          </thead>
          <tbody
            ref={(node) => (body = node)}
            onKeyDown={move}
            onPointerLeave={() => setDescribedPlace(undefined)}
          >
            <For each={rendered()}>
              {(row) => (
                <>
                  <OmittedRows pixels={isVirtual() ? range.omittedBefore(row).pixels : 0} />
                  <tr
                    aria-rowindex={row + 2}
                    classList={{ 'completeness-first': row > 0 && lines()[row]?.isFirst === true }}
                  >
                    <Show when={spans().get(row)}>
                      {(rows) => (
                        <th scope="rowgroup" rowSpan={rows()} aria-colindex={1}>
                          <span>{getName()(lines()[row]?.optimizerId ?? '')}</span>
                        </th>
                      )}
                    </Show>
                    <th scope="row" aria-colindex={2}>
                      {lines()[row]?.dimension}
                    </th>
                    <Index each={functions()}>
                      {(_, column) => {
                        const position = { row, column };
                        const place = createMemo(() => getPlace(position));
                        const text = (): string => formatCell(place().cell);
                        return (
                          <td aria-colindex={column + 3}>
                            <A
                              href={getTrialsPath(props.completeness.campaignId, place())}
                              class={`completeness-cell completeness-${getCellState(place().cell)}`}
                              style={{ '--solved': getSolvedShare(place().cell) }}
                              tabIndex={isActive(`${row} ${column}`) ? 0 : -1}
                              aria-label={`${text()} · ${describe(position)}`}
                              onFocus={() => {
                                setActive(position);
                                setDescribedPlace(position);
                              }}
                              onBlur={() => setDescribedPlace(undefined)}
                              onPointerEnter={() => setDescribedPlace(position)}
                            >
                              {text()}
                            </A>
                          </td>
                        );
                      }}
                    </Index>
                  </tr>
                </>
              )}
            </For>
            <OmittedRows pixels={isVirtual() ? range.omittedAfter().pixels : 0} />
          </tbody>
        </table>
      </div>
      <Show when={isVirtual()}>
        <PrintedPart rows={rendered().length} of={lines().length} />
      </Show>
      {/* A screen reader reads the same in the name of the cell. */}
      <p class="completeness-reading" aria-hidden="true">
        <Show
          when={describedPlace()}
          fallback="Point at a cell, or move to it with the arrow keys, to read it."
        >
          {(position) => describe(position())}
        </Show>
      </p>
    </>
  );
}

/** The space of rows that are not rendered. A row of the table adds the gap itself. */
function OmittedRows(props: { pixels: number }): JSX.Element {
  return (
    <Show when={props.pixels > 0}>
      <tr
        aria-hidden="true"
        class="omitted-rows"
        style={{ height: `${props.pixels - look.gap}px` }}
      />
    </Show>
  );
}

/** Creates the height of a row with one gap, which follows the font size of the page. */
function createRowPixels(): Accessor<number> {
  const size = createWindowSize();
  return createMemo(() => {
    // The font size depends on the width of the window.
    void size();
    const { fontSize } = getComputedStyle(document.documentElement);
    return Number.parseFloat(fontSize) * look.rowRem + look.gap;
  });
}

function getLines(completeness: CampaignCompleteness): Line[] {
  return completeness.optimizers.flatMap((optimizerId) =>
    getDimensions(completeness, optimizerId).map((dimension, index) => ({
      optimizerId,
      dimension,
      isFirst: index === 0,
    })),
  );
}

/** Returns how many rows the name of an optimizer spans, by the first one of each block of rendered rows. */
function getSpans(rendered: readonly number[], lines: readonly Line[]): Map<number, number> {
  const spans = new Map<number, number>();
  let [first, next] = [-1, -1];
  for (const row of rendered) {
    if (row !== next || lines[row]?.isFirst) first = row;
    spans.set(first, row - first + 1);
    next = row + 1;
  }
  return spans;
}

/** Returns the dimensions with cells of an optimizer: imported data sets may each have their own. */
function getDimensions({ cells, dimensions }: CampaignCompleteness, optimizer: string): number[] {
  const own = new Set(
    cells.filter((cell) => cell.optimizerId === optimizer).map(({ dimension }) => dimension),
  );
  return own.size === 0 ? dimensions : dimensions.filter((dimension) => own.has(dimension));
}

function clamp(value: number, last: number): number {
  return Math.min(Math.max(value, 0), last);
}

function getTrialsPath(
  campaignId: string,
  place: { optimizerId: string; dimension: number; functionId: number },
): string {
  const query = new URLSearchParams({
    tab: 'trials',
    optimizer: place.optimizerId,
    functionId: String(place.functionId),
    dimension: String(place.dimension),
  });
  return `${getCampaignPath(campaignId)}?${query.toString()}`;
}
