import { createEffect, createResource, Match, on, onCleanup, Switch, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { cancelDrawing, drawSoon } from './draw-queue.ts';
import type { Picture } from './layout.ts';
import { loadPlotly, makePlotlyScreen, type Interaction, type PlotlyScreen } from './plotly.ts';
import type { View } from './scene.ts';

type Plotly = Awaited<ReturnType<typeof loadPlotly>>;

interface PlotlyChartProps {
  picture: Picture;
  interaction: Interaction;
  /** The part that a drag or the wheel chose. */
  onView: (view: View) => void;
  /** The part that is visible during a drag. */
  onMove: (view: View) => void;
  onDoubleClick: () => void;
}

/** A picture on the screen, updated with every change. Dragging zooms or moves it. */
export function PlotlyChart(props: PlotlyChartProps): JSX.Element {
  const [plotly, { refetch }] = createResource(loadPlotly);
  const library = (): Plotly | undefined => (plotly.state === 'ready' ? plotly() : undefined);
  return (
    <Switch
      fallback={<Skeleton content="chart" shape={{ blockPixels: props.picture.size.height }} />}
    >
      <Match when={plotly.error}>
        <div class="chart-empty" role="alert">
          <p>The chart library could not be loaded, so the chart is not shown.</p>
          <Button size="small" onClick={() => void refetch()}>
            Retry
          </Button>
        </div>
      </Match>
      <Match when={library()}>{(loaded) => <PlotlyCanvas {...props} plotly={loaded()} />}</Match>
    </Switch>
  );
}

function PlotlyCanvas(props: PlotlyChartProps & { plotly: Plotly }): JSX.Element {
  let element!: HTMLDivElement;
  let screen: PlotlyScreen | undefined;
  const draw = (): void => {
    screen ??= makePlotlyScreen(props.plotly, element, {
      onView: (view) => props.onView(view),
      onMove: (view) => props.onMove(view),
      onDoubleClick: () => props.onDoubleClick(),
    });
    screen.draw(props.picture, props.interaction);
  };
  createEffect(
    on([() => props.picture, () => props.interaction.revision], () => drawSoon(element, draw)),
  );
  onCleanup(() => {
    cancelDrawing(element);
    screen?.remove();
  });
  return <div class="chart-plot" ref={(node) => (element = node)} />;
}
