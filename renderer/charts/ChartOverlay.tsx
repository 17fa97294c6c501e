import { For, Show, type JSX } from 'solid-js';
import type { PlacedPoint } from './cloud.ts';
import { getPixel, type Area, type Picture } from './layout.ts';
import { getPaletteColor, restIndex } from './palette.ts';
import type { Place, PointedRun, Reading } from './reading.ts';

interface ChartOverlayProps {
  picture: Picture;
  place: Place | null;
  reading: Reading | null;
  run: PointedRun | undefined;
  /** The point of a cloud at the cursor. */
  point: PlacedPoint | undefined;
  /** The pinned reading; null for none. It has the text and position of the hovered one. */
  pinnedReading: Reading | null;
}

/**
 * The overlay of a chart: the cursor with its values, the pinned cell and the hovered run. It moves without a redraw of
 * the chart.
 */
export function ChartOverlay(props: ChartOverlayProps): JSX.Element {
  const area = (): Area => props.picture.area;
  const left = (x: number): number => getPixel(props.picture, 'x', x) - area().left;
  const top = (y: number): number => getPixel(props.picture, 'y', y) - area().top;
  const box = (outline: NonNullable<Reading['outline']>): JSX.SvgSVGAttributes<SVGRectElement> => {
    const [xs, ys] = [outline.x.map(left), outline.y.map(top)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
  };
  return (
    <>
      <svg
        class="chart-overlay"
        aria-hidden="true"
        style={{ left: `${area().left}px`, top: `${area().top}px` }}
        width={area().width}
        height={area().height}
      >
        <Show when={props.run}>
          {(run) => (
            <path
              class="chart-run"
              d={getRunPath(run(), left, top)}
              stroke={getRunColor(run().paletteIndex)}
            />
          )}
        </Show>
        <Show when={props.point}>
          {(point) => (
            <circle
              cx={left(point().drawnX)}
              cy={top(point().drawnY)}
              r="5"
              fill={getRunColor(point().mark.paletteIndex)}
            />
          )}
        </Show>
        <Show when={props.reading?.outline || props.point ? undefined : props.place}>
          {(place) => (
            <line class="chart-cursor" x1={left(place().x)} x2={left(place().x)} y1="0" y2="100%" />
          )}
        </Show>
        <Show when={props.place}>
          {(place) => (
            <For each={props.reading?.rows.filter(({ y }) => y !== undefined)}>
              {(row) => (
                <circle
                  cx={left(place().x)}
                  cy={top(row.y ?? 0)}
                  r="3.5"
                  fill={getPaletteColor(row.paletteIndex ?? 0)}
                />
              )}
            </For>
          )}
        </Show>
        <Show when={props.reading?.outline}>
          {(outline) => <rect class="chart-outline" {...box(outline())} />}
        </Show>
        <Show when={props.pinnedReading?.outline}>
          {(outline) => <rect class="chart-pin" {...box(outline())} />}
        </Show>
      </svg>
      <Show when={props.pinnedReading}>
        {(reading) => (
          <Readout
            reading={reading()}
            area={area()}
            left={left(reading().outline?.x[1] ?? 0)}
            class="chart-pinned"
          />
        )}
      </Show>
      <Show when={props.place && props.reading}>
        {(reading) => (
          <Readout
            reading={reading()}
            area={area()}
            left={left(reading().outline?.x[1] ?? props.point?.drawnX ?? props.place?.x ?? 0)}
            run={props.run}
            isLink={props.point?.point.href !== undefined}
          />
        )}
      </Show>
    </>
  );
}

interface ReadoutProps {
  reading: Reading;
  area: Area;
  /** Pixel of the cursor in the area. */
  left: number;
  run?: PointedRun | undefined;
  /** Whether a click opens what it describes. */
  isLink?: boolean;
  class?: string;
}

/** The values at the cursor, on its side with more room. */
function Readout(props: ReadoutProps): JSX.Element {
  const style = (): JSX.CSSProperties => {
    const { area, left } = props;
    const top = `${area.top + 4}px`;
    return left > area.width / 2
      ? { top, right: `calc(100% - ${area.left + left - 10}px)` }
      : { top, left: `${area.left + left + 10}px` };
  };
  return (
    <div class={`chart-readout ${props.class ?? ''}`} style={style()}>
      <strong>{props.reading.title}</strong>
      <For each={props.reading.rows}>
        {(row) => (
          <div>
            <Show when={row.paletteIndex !== undefined}>
              <i style={{ background: getPaletteColor(row.paletteIndex ?? 0) }} />
            </Show>
            {row.name}
            <b>{row.text}</b>
          </div>
        )}
      </For>
      <Show when={props.isLink}>
        <div class="chart-readout-run">
          <span>click to open</span>
        </div>
      </Show>
      <Show when={props.run}>
        {(run) => (
          <div class="chart-readout-run">
            <i style={{ background: getPaletteColor(run().paletteIndex) }} />
            {`${run().series}, ${run().run.name}`}
            <Show when={run().run.href}>
              <span>click to open</span>
            </Show>
          </div>
        )}
      </Show>
    </div>
  );
}

/** Returns the colour of a run; for a series that is not emphasised that of text, because grey would not stand out. */
function getRunColor(paletteIndex: number): string {
  return paletteIndex === restIndex ? 'var(--text)' : getPaletteColor(paletteIndex);
}

function getRunPath(
  { run, shape }: PointedRun,
  left: (x: number) => number,
  top: (y: number) => number,
): string {
  let path = '';
  for (const [index, place] of run.x.entries()) {
    const value = run.y[index];
    if (value === null || value === undefined) continue;
    const [across, down] = [left(place).toFixed(1), top(value).toFixed(1)];
    if (path === '') path = `M${across} ${down}`;
    else path += shape === 'step' ? `H${across}V${down}` : `L${across} ${down}`;
  }
  return path;
}
