import { For, Show, type JSX } from 'solid-js';
import { isEmptyFigure, type LineFigure, type Series } from './figure.ts';
import { dashes, markers } from './theme.ts';

interface ChartLegendProps {
  figure: LineFigure;
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
  onIsolate: (name: string) => void;
}

/** The dashes of the palette as SVG writes them, in the same order. */
const strokes = ['', '7 4', '2 3', '7 3 2 3', '11 4', '11 3 2 3', '2 2', '10 3 2 3'] as const;

/** The marks of the palette on a 12 × 12 grid, in the same order. */
const marks = [
  'M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8',
  'M2.5 2.5h7v7h-7z',
  'M6 1 11 6 6 11 1 6z',
  'M6 2 10.5 10h-9z',
  'M4.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z',
  'M3 1.5 6 4.5l3-3L10.5 3l-3 3 3 3L9 10.5l-3-3-3 3L1.5 9l3-3-3-3z',
  'M6 10 1.5 2h9z',
  'M6 1l1.5 3.3 3.5.4-2.6 2.4.7 3.6L6 8.9l-3.1 1.8.7-3.6L1 4.7l3.5-.4z',
] as const;

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
  const paletteIndex = (): number => props.series?.paletteIndex ?? 0;
  const color = (): string => `var(--series-${(paletteIndex() % 8) + 1})`;
  return (
    <Show
      when={props.series?.shape === 'points'}
      fallback={
        <svg width="24" height="12" aria-hidden="true">
          <path
            d="M0 6H24"
            stroke-width="2"
            stroke={color()}
            stroke-dasharray={strokes[paletteIndex() % dashes.length]}
          />
        </svg>
      }
    >
      <svg width="12" height="12" aria-hidden="true">
        <path d={marks[paletteIndex() % markers.length]} fill={color()} />
      </svg>
    </Show>
  );
}
