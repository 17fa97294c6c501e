import { createMemo, For, Show, type JSX } from 'solid-js';
import type { ChartState } from './chart-state.ts';
import { lookAt, paletteColor } from './palette.ts';
import { marksOf, type CurveMark, type Scene } from './scene.ts';

/** The curves of a chart, above it: each a switch, for all charts of the page; a double click leaves one alone. */
export function ChartLegend(props: { scene: Scene; state: ChartState }): JSX.Element {
  const curves = createMemo(() => marksOf(props.scene, 'curve'));
  const names = (): string[] => curves().map(({ series }) => series);
  const isHidden = (name: string): boolean => props.scene.hidden.has(name);
  return (
    <Show when={curves().length > 0}>
      <ul class="chart-legend" aria-label="Series">
        <For each={names()}>
          {(name, index) => (
            <li>
              <button
                type="button"
                class="chart-legend-entry"
                aria-pressed={!isHidden(name)}
                title={`${isHidden(name) ? 'Show' : 'Hide'} ${name}; double click for it alone`}
                onClick={(event) => {
                  if (event.detail < 2) props.state.toggleSeries(name);
                }}
                onDblClick={() => props.state.isolateSeries(name, names())}
              >
                <LegendSample curve={curves()[index()]} />
                {name}
                <Show when={curves()[index()]?.note}>{(note) => <small>{note()}</small>}</Show>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** A piece of the curve at a place of the palette. */
export function LineSample(props: { paletteIndex: number }): JSX.Element {
  return (
    <svg class="line-sample" viewBox="0 0 24 12" aria-hidden="true">
      <path
        d="M0 6H24"
        stroke-width="2"
        stroke={paletteColor(props.paletteIndex)}
        stroke-dasharray={lookAt(props.paletteIndex).stroke}
      />
    </svg>
  );
}

function LegendSample(props: { curve: CurveMark | undefined }): JSX.Element {
  const paletteIndex = (): number => props.curve?.paletteIndex ?? 0;
  return (
    <Show
      when={props.curve?.drawn === 'markers'}
      fallback={<LineSample paletteIndex={paletteIndex()} />}
    >
      <svg class="mark-sample" viewBox="0 0 12 12" aria-hidden="true">
        <path d={lookAt(paletteIndex()).mark} fill={paletteColor(paletteIndex())} />
      </svg>
    </Show>
  );
}
