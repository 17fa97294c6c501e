import { createMemo, For, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { CampaignErts, DroppedCells as Dropped } from '#shared/schemas/coco-analysis.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { formatDimension } from './ecdf-entry.ts';
import type { Scope } from './scope.ts';

interface DroppedCellsProps {
  /** The response about the cells. */
  response: Pick<CampaignErts, 'dropped' | 'optimizers'>;
  scope: Scope;
}

/** The functions of one dimension that are excluded for the same optimizers. */
interface Line {
  dimension: number;
  functions: number[];
  instances: number;
  missingFor: readonly string[];
}

/**
 * Cells excluded from the comparison and the optimizers without them, with the two other choices. Nothing without any.
 */
export function DroppedCells(props: DroppedCellsProps): JSX.Element {
  const getName = useAlgorithmNames(() => props.response.optimizers);
  const total = (): number =>
    props.response.dropped.reduce((sum, { instances }) => sum + instances, 0);
  const lines = createMemo(() => getLines(props.response.dropped));
  return (
    <Show when={props.response.dropped.length > 0}>
      <div class="dropped-cells">
        <details>
          <summary>
            {describeCount(total(), 'cell')} omitted, because not every optimizer has them
          </summary>
          <ul>
            <For each={lines()}>
              {(line) => (
                <li>
                  {formatDimension(line.dimension)},{' '}
                  {line.functions.map((id) => `f${id}`).join(', ')} (
                  {describeCount(line.instances, 'instance')}): missing for{' '}
                  {line.missingFor.map(getName()).join(', ')}
                </li>
              )}
            </For>
          </ul>
        </details>
        <Button onClick={() => props.scope.chooseCells('all')}>Show all cells</Button>
        <Button onClick={() => props.scope.chooseCells('unsolved')}>
          Count missing as unsolved
        </Button>
      </div>
    </Show>
  );
}

function getLines(dropped: readonly Dropped[]): Line[] {
  const groups = Map.groupBy(dropped, ({ dimension, missingFor }) =>
    JSON.stringify([dimension, missingFor]),
  );
  return [...groups.values()].map((own) => ({
    dimension: own[0]?.dimension ?? 0,
    functions: own.map(({ functionId }) => functionId),
    instances: own.reduce((sum, { instances }) => sum + instances, 0),
    missingFor: own[0]?.missingFor ?? [],
  }));
}
