import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { createChartState } from './chart-state.ts';
import { ChartExport } from './ChartExport.tsx';
import { ChartLegend } from './ChartLegend.tsx';
import { ChartTable } from './ChartTable.tsx';
import { loggableAxes, type Figure, type HeatMapFigure, type Scales } from './figure.ts';
import { HeatMapFocus } from './HeatMapFocus.tsx';
import { PlotlyChart } from './PlotlyChart.tsx';
import './charts.css';

interface ChartCardProps {
  title: string;
  /** One line of what the picture shows. */
  description: string;
  figure: Figure;
  /** Name of exported files, without extension. */
  fileName: string;
  /** The wanted scales where they are held outside, such as in the address; else linear at first. */
  scales?: Scales;
  onScalesChange?: (scales: Scales) => void;
  /** The page's own choices, left of the chart's. */
  controls?: JSX.Element;
  notes?: readonly string[];
  /** Height of the picture; 320 unless told. */
  heightPixels?: number;
}

const linear: Scales = { x: 'linear', y: 'linear' };

/**
 * A chart with everything a reader can do to it: scales, series on and off, table (`t`), export, and for
 * heat maps the focus mode. Zoom, switched-off series and table survive every change of the figure.
 */
export function ChartCard(props: ChartCardProps): JSX.Element {
  const [ownScales, setOwnScales] = createSignal(linear);
  const [isFocused, setFocused] = createSignal(false);
  const state = createChartState(
    () => props.figure,
    () => props.scales ?? ownScales(),
  );
  let body: HTMLDivElement | undefined;
  const toggleTable = (): void => {
    state.setTableShown(!state.isTableShown());
    // What had the focus is hidden now; its place is taken by what came.
    body
      ?.querySelector<HTMLElement>(state.isTableShown() ? '.chart-table' : '.chart-canvas')
      ?.focus();
  };
  const onKey = (key: string): boolean => {
    if (key === 't') toggleTable();
    else if (key === 'Enter' && props.figure.kind === 'heatmap') setFocused(true);
    else return false;
    return true;
  };
  const onTableKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    toggleTable();
  };
  const heatMap = (): HeatMapFigure | undefined =>
    props.figure.kind === 'heatmap' ? props.figure : undefined;
  const height = (): number => props.heightPixels ?? 320;
  return (
    <Card
      title={props.title}
      description={props.description}
      notes={props.notes ?? []}
      class="chart-card"
      controls={
        <>
          {props.controls}
          <ScaleControls
            figure={props.figure}
            scales={props.scales ?? ownScales()}
            onChange={(scales) => (props.onScalesChange ?? setOwnScales)(scales)}
          />
          <Show when={hasView(state.options().view)}>
            <Button
              size="small"
              title="Show everything again (0)"
              onClick={() => state.setView({})}
            >
              Reset zoom
            </Button>
          </Show>
          <Show when={props.figure.kind === 'heatmap'}>
            <Button size="small" icon="expand" onClick={() => setFocused(true)}>
              Focus
            </Button>
          </Show>
          <Button
            size="small"
            pressed={state.isTableShown()}
            title="The same numbers as a table (t)"
            aria-keyshortcuts="t"
            onClick={() => state.setTableShown(!state.isTableShown())}
          >
            Table
          </Button>
          <ChartExport
            figure={props.figure}
            options={state.options()}
            title={props.title}
            fileName={props.fileName}
            size={() => ({ width: body?.clientWidth ?? 0, height: height() })}
          />
        </>
      }
    >
      <div ref={(node) => (body = node)}>
        <div hidden={state.isTableShown()}>
          <LegendOf figure={props.figure} state={state} />
          <PlotlyChart
            figure={props.figure}
            options={state.options()}
            title={props.title}
            description={describe(props.description, props.figure)}
            heightPixels={height()}
            onViewChange={state.setView}
            onKey={onKey}
          />
        </div>
        <Show when={state.isTableShown()}>
          <div onKeyDown={onTableKeyDown}>
            <ChartTable figure={props.figure} title={props.title} heightPixels={height()} />
          </div>
        </Show>
      </div>
      <Show when={heatMap()}>
        {(figure) => (
          <HeatMapFocus
            figure={figure()}
            title={props.title}
            description={props.description}
            open={isFocused()}
            onClose={() => setFocused(false)}
          />
        )}
      </Show>
    </Card>
  );
}

function hasView(view: { x?: unknown; y?: unknown }): boolean {
  return view.x !== undefined || view.y !== undefined;
}

function describe(description: string, figure: Figure): string {
  const focus = figure.kind === 'heatmap' ? ' Enter opens it large.' : '';
  return `${description}. Press t for the numbers as a table, plus and minus to zoom, 0 for everything.${focus}`;
}

function LegendOf(props: {
  figure: Figure;
  state: ReturnType<typeof createChartState>;
}): JSX.Element {
  const lines = createMemo(() => (props.figure.kind === 'lines' ? props.figure : undefined));
  return (
    <Show when={lines()}>
      {(figure) => (
        <ChartLegend
          figure={figure()}
          hidden={props.state.options().hidden}
          onToggle={props.state.toggleSeries}
          onIsolate={(name) =>
            props.state.isolateSeries(
              name,
              figure().series.map((series) => series.name),
            )
          }
        />
      )}
    </Show>
  );
}

interface ScaleControlsProps {
  figure: Figure;
  scales: Scales;
  onChange: (scales: Scales) => void;
}

/** A switch to logarithmic for each axis that can be: all its values are positive. */
function ScaleControls(props: ScaleControlsProps): JSX.Element {
  const loggable = createMemo(() => loggableAxes(props.figure));
  const flip = (axis: 'x' | 'y'): void =>
    props.onChange({ ...props.scales, [axis]: props.scales[axis] === 'log' ? 'linear' : 'log' });
  const toggle = (axis: 'x' | 'y'): JSX.Element => (
    <Show when={loggable()[axis]}>
      <Button
        size="small"
        pressed={props.scales[axis] === 'log'}
        title={`Logarithmic ${axis} axis`}
        onClick={() => flip(axis)}
      >
        {`Log ${axis}`}
      </Button>
    </Show>
  );
  return (
    <>
      {toggle('x')}
      {toggle('y')}
    </>
  );
}
