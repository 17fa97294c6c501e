import { For, Show, type JSX } from 'solid-js';
import type { ChartState } from './chart-state.ts';
import type { Figure, Series } from './figure.ts';
import { isEmptyFigure } from './kinds.ts';
import { modeOf } from './kinds/line-traces.ts';
import { lookAt, paletteColor } from './palette.ts';

/** The curves of a chart, above it: each a switch, for all charts of the page; a double click leaves one alone. */
export function ChartLegend(props: { figure: Figure; state: ChartState }): JSX.Element {
  const series = (): readonly Series[] =>
    props.figure.kind === 'lines' && !isEmptyFigure(props.figure) ? props.figure.series : [];
  const names = (): string[] => series().map(({ name }) => name);
  const isHidden = (name: string): boolean => props.state.options().hidden.has(name);
  return (
    <Show when={series().length > 0}>
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
                <LegendSample series={series()[index()]} />
                {name}
                <Show when={series()[index()]?.legendNote}>
                  {(note) => <small>{note()}</small>}
                </Show>
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

function LegendSample(props: { series: Series | undefined }): JSX.Element {
  const look = () => lookAt(props.series?.paletteIndex ?? 0);
  const color = (): string => paletteColor(props.series?.paletteIndex ?? 0);
  return (
    <Show
      when={props.series && modeOf(props.series) === 'markers'}
      fallback={<LineSample paletteIndex={props.series?.paletteIndex ?? 0} />}
    >
      <svg class="mark-sample" viewBox="0 0 12 12" aria-hidden="true">
        <path d={look().mark} fill={color()} />
      </svg>
    </Show>
  );
}
