import { A } from '@solidjs/router';
import { createMemo, createSignal, Index, Show, type JSX } from 'solid-js';
import type { CampaignCompleteness } from '#shared/schemas/coco.ts';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { getCampaignPath } from '#renderer/paths.ts';
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

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/**
 * Grid of optimizers × dimensions (rows) and functions (columns). One cell has the keyboard: arrows, Home and End move
 * it, Enter opens it.
 */
export function CompletenessGrid(props: { completeness: CampaignCompleteness }): JSX.Element {
  let body!: HTMLTableSectionElement;
  const getName = useAlgorithmNames();
  const [active, setActive] = createSignal<Place>({ row: 0, column: 0 });
  const cells = createMemo(
    () => new Map(props.completeness.cells.map((cell) => [getCellKey(cell), cell])),
  );
  const lines = createMemo(() =>
    props.completeness.optimizers.flatMap((optimizerId) => {
      const dimensions = getDimensions(props.completeness, optimizerId);
      return dimensions.map((dimension, index) => ({
        optimizerId,
        dimension,
        isFirst: index === 0,
        rowSpan: dimensions.length,
      }));
    }),
  );
  const move = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { row, column } = active();
    const next = {
      row: clamp(row + step[0], lines().length - 1),
      column: clamp(column + step[1], props.completeness.functions.length - 1),
    };
    setActive(next);
    body.rows[next.row]?.querySelectorAll('td')[next.column]?.querySelector('a')?.focus();
  };
  const isActive = (row: number, column: number): boolean =>
    active().row === row && active().column === column;
  return (
    <div class="completeness-scroll">
      <table
        class="completeness"
        role="grid"
        aria-label="Completeness of the campaign"
        style={{ '--functions': props.completeness.functions.length }}
      >
        <thead>
          <tr>
            <th scope="col">
              <WithTerms text="Optimizer" />
            </th>
            <th scope="col">Dimension</th>
            <Index each={props.completeness.functions}>
              {(functionId) => <th scope="col">f{functionId()}</th>}
            </Index>
          </tr>
        </thead>
        <tbody ref={(element) => (body = element)} onKeyDown={move}>
          <Index each={lines()}>
            {(line, row) => (
              <tr classList={{ 'completeness-first': line().isFirst }}>
                <Show when={line().isFirst}>
                  <th scope="rowgroup" rowSpan={line().rowSpan}>
                    {getName()(line().optimizerId)}
                  </th>
                </Show>
                <th scope="row">{line().dimension}</th>
                <Index each={props.completeness.functions}>
                  {(functionId, column) => {
                    const place = () => ({ ...line(), functionId: functionId() });
                    const cell = () => cells().get(getCellKey(place()));
                    return (
                      <td>
                        <A
                          href={getTrialsPath(props.completeness.campaignId, place())}
                          class={`completeness-cell completeness-${getCellState(cell())}`}
                          style={{ '--solved': getSolvedShare(cell()) }}
                          tabIndex={isActive(row, column) ? 0 : -1}
                          title={describeCell(place(), cell(), getName())}
                          aria-label={`${formatCell(cell())} · ${describeCell(place(), cell(), getName())}`}
                          onFocus={() => setActive({ row, column })}
                        >
                          {formatCell(cell())}
                        </A>
                      </td>
                    );
                  }}
                </Index>
              </tr>
            )}
          </Index>
        </tbody>
      </table>
    </div>
  );
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
