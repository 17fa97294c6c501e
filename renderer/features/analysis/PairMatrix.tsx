import { createMemo, For, Show, type JSX } from 'solid-js';
import { formatPValue, formatStatistic } from '#shared/number-format.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { Swatch } from './group-columns.tsx';
import type { GroupLook } from './group-looks.ts';
import { getBetterName, getPairId, describeSignificance } from './pair-words.ts';

interface PairMatrixProps {
  response: ProblemComparison;
  pairs: readonly MeasuredPair[];
  look: (algorithm: string) => GroupLook;
}

/**
 * The pairs as a triangular matrix: row against column, adjusted p-value above A12, and the significantly better group.
 */
export function PairMatrix(props: PairMatrixProps): JSX.Element {
  const names = createMemo(() => props.response.algorithms.map(({ algorithm }) => algorithm));
  const pairs = createMemo(() => new Map(props.pairs.map((pair) => [getPairId(pair), pair])));
  const getPair = (a: string, b: string): MeasuredPair | undefined =>
    pairs().get(getPairId({ a, b }));
  return (
    <div class="table-scroll" tabindex="0" role="region" aria-label="Pairwise tests as a matrix">
      <table class="table pair-matrix">
        <thead>
          <tr>
            <td />
            <For each={names().slice(1)}>
              {(name) => (
                <th scope="col" class="pair-name clip" title={props.look(name).name}>
                  {props.look(name).name}
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={names().slice(0, -1)}>
            {(row) => (
              <tr>
                <th scope="row" class="pair-name clip" title={props.look(row).name}>
                  {props.look(row).name}
                </th>
                <For each={names().slice(1)}>
                  {(column) => (
                    <td>
                      <Show when={getPair(row, column)}>
                        {(pair) => (
                          <PairCell
                            pair={pair()}
                            isInterim={props.response.guard.isInterim}
                            look={props.look}
                          />
                        )}
                      </Show>
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

function PairCell(props: {
  pair: MeasuredPair;
  isInterim: boolean;
  look: (algorithm: string) => GroupLook;
}): JSX.Element {
  return (
    <div class="pair-cell" classList={{ 'pair-significant': props.pair.significant }}>
      <span>p {formatPValue(props.pair.adjustedPValue)}</span>
      <span class="muted">A12 {formatStatistic(props.pair.effectSize)}</span>
      <span class="muted swatch-name">
        <Show when={props.pair.significant}>
          <Swatch paletteIndex={props.look(props.pair.better).paletteIndex} />
        </Show>
        {getBetterName(props.pair, (name) => props.look(name).name) ??
          describeSignificance(props.pair, props.isInterim) ??
          '–'}
      </span>
    </div>
  );
}
