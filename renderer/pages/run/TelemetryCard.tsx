import { createMemo, createSignal, Match, Show, Switch, untrack, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { IterationFull, IterationRow } from '#shared/schemas/run.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import { metricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { parseMetrics } from './telemetry.ts';

interface TelemetryCardProps {
  runId: string;
  iterations: readonly IterationRow[];
  isShown: boolean;
  onShow: (isShown: boolean) => void;
}

/** Most iterations whose telemetry is fetched: each carries 10 to 50 kB. */
const maximumIterations = 200;

const rowPixels = 18;
const title = 'Telemetry';

/** Every metric over the iterations, fetched only when asked for. */
export function TelemetryCard(props: TelemetryCardProps): JSX.Element {
  return (
    <Show
      when={props.isShown}
      fallback={
        <Card
          title={title}
          description={`All metrics over the ${scopeOf(props.iterations.length)}, as a heat map`}
          controls={
            <Button size="small" onClick={() => props.onShow(true)}>
              Show
            </Button>
          }
        >
          <p class="muted">Not fetched yet: the full telemetry is up to 50 kB per iteration.</p>
        </Card>
      }
    >
      <LoadedTelemetry {...props} />
    </Show>
  );
}

function scopeOf(count: number): string {
  return count > maximumIterations
    ? `newest ${maximumIterations} iterations of ${formatCount(count)}`
    : `${formatCount(count)} iterations`;
}

function LoadedTelemetry(props: TelemetryCardProps): JSX.Element {
  const newest = (): number => Number(props.iterations.at(-1)?.iteration ?? 0);
  const start = (): number =>
    Number(props.iterations.at(-maximumIterations - 1)?.iteration ?? Number.NaN);
  const [range, setRange] = createSignal(untrack(() => ({ after: start(), upTo: newest() })));
  const query = useEndpoint('listIterations', () => ({
    params: { runId: props.runId },
    query: {
      fields: 'all',
      after: Number.isNaN(range().after) ? undefined : range().after,
      limit: maximumIterations,
    },
  }));
  const refresh = (): void => {
    setRange({ after: start(), upTo: newest() });
    query.retry();
  };
  const controls = (): JSX.Element => (
    <>
      <Show when={newest() > range().upTo}>
        <Button size="small" onClick={refresh}>
          Add newer iterations
        </Button>
      </Show>
      <Button size="small" onClick={() => props.onShow(false)}>
        Hide
      </Button>
    </>
  );
  return (
    <Switch
      fallback={
        <Card title={title} controls={controls()}>
          <QueryView query={query} skeleton={<Skeleton shape={{ blockPixels: 400 }} />}>
            {() => null}
          </QueryView>
        </Card>
      }
    >
      <Match when={query.data}>
        {(rows) => (
          <TelemetryChart
            runId={props.runId}
            rows={rows() as IterationFull[]}
            scope={scopeOf(props.iterations.length)}
            controls={controls}
          />
        )}
      </Match>
    </Switch>
  );
}

interface TelemetryChartProps {
  runId: string;
  rows: readonly IterationFull[];
  scope: string;
  controls: () => JSX.Element;
}

function TelemetryChart(props: TelemetryChartProps): JSX.Element {
  const map = createMemo(() =>
    metricHeatMap(props.rows.map((row) => parseMetrics(row.iteration, row.metricsJson))),
  );
  const notes = (): string[] => {
    const lag = 'Telemetry describes the parents: it lags one iteration behind best, mean and std.';
    const { constants } = map();
    return constants.length === 0
      ? [lag]
      : [lag, `Left out, as they never change: ${constants.join(', ')}.`];
  };
  return (
    <ChartCard
      subject={props.runId}
      entry={{
        id: 'telemetry',
        title,
        describe: () =>
          `All metrics over the ${props.scope}; each row is scaled to its own lowest and highest value`,
        figure: () => map().figure,
        heightPixels: () => Math.max(240, map().figure.y.labels.length * rowPixels + 60),
        notes,
        controls: props.controls,
      }}
    />
  );
}
