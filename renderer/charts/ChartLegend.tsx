import { For, Show, type JSX } from 'solid-js';
import type { LineFigure, Series } from './figure.ts';
import { isEmptyFigure } from './kinds.ts';
import { lookAt, paletteColor } from './palette.ts';

interface ChartLegendProps {
  figure: LineFigure;
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
  onIsolate: (name: string) => void;
}

/** The series of a chart, above it: each a switch; a double click leaves one alone. */
export function ChartLegend(props: ChartLegendProps): JSX.Element {
  return (
    <Show when={!isEmptyFigure(props.figure)}>
      <ul class="chart-legend" aria-label="Series">
        <For each={props.figure.series.map(({ name }) => name)}>
          {(name, index) => (
            <li>
              <button
                type="button"
                class="chart-legend-entry"
                aria-pressed={!props.hidden.has(name)}
                title={`${props.hidden.has(name) ? 'Show' : 'Hide'} ${name}; double click for it alone`}
                onClick={(event) => {
                  if (event.detail < 2) props.onToggle(name);
                }}
                onDblClick={() => props.onIsolate(name)}
              >
                <LegendSample series={props.figure.series[index()]} />
                {name}
                <Show when={props.figure.series[index()]?.legendNote}>
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

function LegendSample(props: { series: Series | undefined }): JSX.Element {
  const look = () => lookAt(props.series?.paletteIndex ?? 0);
  const color = (): string => paletteColor(props.series?.paletteIndex ?? 0);
  return (
    <Show
      when={props.series?.shape === 'points'}
      fallback={
        <svg width="24" height="12" aria-hidden="true">
          <path d="M0 6H24" stroke-width="2" stroke={color()} stroke-dasharray={look().stroke} />
        </svg>
      }
    >
      <svg width="12" height="12" aria-hidden="true">
        <path d={look().mark} fill={color()} />
      </svg>
    </Show>
  );
}
