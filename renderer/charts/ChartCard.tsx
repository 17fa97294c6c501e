import { useNavigate } from '@solidjs/router';
import {
  createEffect,
  createMemo,
  createSignal,
  on,
  Show,
  untrack,
  useContext,
  type JSX,
} from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { CardBoundary } from '#renderer/ui/CardBoundary.tsx';
import { useCommands, type Command } from '#renderer/state/commands.ts';
import { useExhibit } from '#renderer/state/exhibits.ts';
import { useUrl } from '#renderer/state/url.ts';
import { getCaption, FigureSubject, type ChartEntry } from './chart-entry.ts';
import { ChartCanvas } from './ChartCanvas.tsx';
import { createChartState } from './chart-state.ts';
import { createCursor } from './cursor.ts';
import { ChartExport } from './ChartExport.tsx';
import { ChartLegend } from './ChartLegend.tsx';
import { ChartTable } from './ChartTable.tsx';
import { isEqualData } from './equal-data.ts';
import type { Figure, HeatMapFigure, Scales } from './figure.ts';
import { HeatMapFocus } from './HeatMapFocus.tsx';
import { makeFigureMarks, isEmptyFigure, makeLoggableAxes, getScene } from './scenes.ts';
import './charts.css';

interface ChartCardProps {
  entry: ChartEntry;
  /** Subject of the chart, such as the run: prefix of the names of exported files. */
  subject: string;
}

const defaultHeightPixels = 280;

const chartKeys: readonly Command[] = [
  { keys: 't', description: 'The chart with the focus as a table, and back' },
  { keys: '+ -', description: 'Zoom the chart with the focus in and out; 0 shows all of it' },
  { keys: '← →', description: 'Move along the chart with the focus' },
];

/**
 * A chart with everything a reader can do to it: scales, series on and off, table (`t`), export, and for
 * heat maps the focus mode. Zoom, switched-off series and table survive every change of the figure. The chart that the
 * address names under `show` comes into view, with the focus.
 */
export function ChartCard(props: ChartCardProps): JSX.Element {
  return (
    <CardBoundary>
      <DrawnCard {...props} />
    </CardBoundary>
  );
}

function DrawnCard(props: ChartCardProps): JSX.Element {
  useCommands(chartKeys);
  const url = useUrl();
  const [isFocused, setFocused] = createSignal(false);
  /** The series under the pointer in the legend. */
  const [pointedSeries, setPointedSeries] = createSignal<string>();
  // An equal figure must not draw the chart again.
  const figure = createMemo(() => props.entry.figure(), undefined, { equals: isEqualData });
  const state = createChartState(() => props.entry, figure, url);
  const marks = createMemo(() => makeFigureMarks(figure()));
  const scene = createMemo(() => getScene(figure(), state.choice(), marks()));
  const isEmpty = createMemo(() => isEmptyFigure(figure()));
  const cursor = createCursor(scene);
  const navigate = useNavigate();
  const ownControls = untrack(() => props.entry.controls);
  let body: HTMLDivElement | undefined;
  const toggleTable = (): void => {
    state.setTableShown(!state.isTableShown());
    // The element with the focus is hidden now, so the visible one receives the focus.
    body
      ?.querySelector<HTMLElement>(state.isTableShown() ? '.chart-table' : '.chart-canvas')
      ?.focus();
  };
  // The button disappears with the zoom, so the chart receives the focus.
  const showEverything = (): void => {
    state.setView({});
    body?.querySelector<HTMLElement>('.chart-canvas')?.focus();
  };
  const onKey = (key: string): boolean => {
    if (key === 't') toggleTable();
    else if (key === 'Enter' && figure().kind === 'heatmap') setFocused(true);
    else return false;
    return true;
  };
  const onTableKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    toggleTable();
  };
  const heatMap = (): HeatMapFigure | undefined =>
    figure().kind === 'heatmap' ? (figure() as HeatMapFigure) : undefined;
  const notes = (): readonly string[] => props.entry.notes?.() ?? [];
  const height = (): number => props.entry.heightPixels?.() ?? defaultHeightPixels;
  const figureSubject = useContext(FigureSubject);
  const caption = (): string => getCaption(figureSubject(), props.entry);
  const size = () => ({ width: body?.clientWidth ?? 0, height: height() });
  useExhibit(() => {
    const { id, title } = props.entry;
    if (isEmpty()) return undefined;
    const files = async () => {
      const { getSceneFiles } = await import('./exports.ts');
      return getSceneFiles(scene(), { title, caption: caption() }, size());
    };
    return { kind: 'figure', id, title, caption: caption(), files };
  });
  const isWanted = createMemo(() => url.texts('show')[0] === props.entry.id);
  createEffect(
    on(isWanted, (isNeeded) => {
      if (isNeeded) setTimeout(() => showCard(body));
    }),
  );
  return (
    <Card
      title={props.entry.title}
      description={props.entry.describe()}
      notes={notes()}
      class={`chart-card ${props.entry.isWide?.() ? 'chart-wide' : ''}`}
      controls={
        <>
          {ownControls?.()}
          <ScaleControls
            figure={figure()}
            scales={state.choice().scales}
            onChange={state.setScales}
          />
          <Show when={hasView(state.choice().view)}>
            <Button size="small" title="Show everything again (0)" onClick={showEverything}>
              Reset zoom
            </Button>
          </Show>
          <Show when={figure().kind === 'heatmap'}>
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
            scene={scene()}
            title={props.entry.title}
            caption={caption()}
            fileName={`${props.subject}-${props.entry.id}`}
            size={size}
          />
        </>
      }
    >
      <div class="chart-body" ref={(node) => (body = node)}>
        <div class="chart-picture" hidden={state.isTableShown()}>
          <Show when={!isEmpty()}>
            <ChartLegend scene={scene()} state={state} onPoint={setPointedSeries} />
          </Show>
          <ChartCanvas
            scene={scene()}
            empty={isEmpty() ? figure().empty : undefined}
            view={state.choice().view}
            cursor={cursor}
            pointedSeries={pointedSeries()}
            title={props.entry.title}
            description={describe(props.entry.describe(), figure())}
            heightPixels={height()}
            onViewChange={state.setView}
            handle={props.entry.handle}
            onOpen={navigate}
            onKey={onKey}
          />
        </div>
        <Show when={state.isTableShown()}>
          <div onKeyDown={onTableKeyDown}>
            <ChartTable scene={scene()} title={props.entry.title} heightPixels={height()} />
          </div>
        </Show>
      </div>
      <Show when={heatMap()}>
        {(map) => (
          <HeatMapFocus
            figure={map()}
            title={props.entry.title}
            description={props.entry.describe()}
            open={isFocused()}
            onClose={() => setFocused(false)}
          />
        )}
      </Show>
    </Card>
  );
}

function showCard(body: HTMLElement | undefined): void {
  body?.scrollIntoView({ block: 'center' });
  body?.querySelector<HTMLElement>('.chart-canvas')?.focus({ preventScroll: true });
}

function hasView(view: { x?: unknown; y?: unknown }): boolean {
  return view.x !== undefined || view.y !== undefined;
}

function describe(description: string, figure: Figure): string {
  const focus = figure.kind === 'heatmap' ? ' Enter opens it large.' : '';
  const open = figure.kind === 'points' ? ` Enter opens the ${figure.nouns.point}.` : '';
  return `${description}. The arrow keys read its values; t shows the numbers as a table, plus and minus zoom, 0 shows everything.${focus}${open}`;
}

interface ScaleControlsProps {
  figure: Figure;
  scales: Scales;
  onChange: (scales: Scales) => void;
}

/** Buttons that make an axis logarithmic, for each axis with positive values only. */
function ScaleControls(props: ScaleControlsProps): JSX.Element {
  const loggable = createMemo(() => makeLoggableAxes(props.figure));
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
