import { createSignal, onCleanup, type JSX } from 'solid-js';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import { adaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { fitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { metricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { sampleActions, sampleIterations, sampleMetrics } from '#renderer/charts/sample-data.ts';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { AnalysisGallery } from './AnalysisGallery.tsx';

const run = { direction: 'min', targetFitness: 0.01, isRunning: true } as const;
const log = { x: 'log', y: 'log' } as const;
const growMillis = 500;

/** Every kind of chart with generated numbers, for the eye. */
export function GalleryPage(): JSX.Element {
  const metrics = metricHeatMap(sampleMetrics(40));
  return (
    <>
      <PageHeader title="Chart gallery" />
      <div class="chart-grid">
        <ChartCard
          title="Fitness"
          description="Best so far, best and mean of 60 iterations, with a band and a target"
          figure={fitnessFigure(sampleIterations(60), run, 'iteration')}
          fileName="gallery-fitness"
        />
        <LogFitness />
        <GrowingFitness />
        <ChartCard
          title="No data"
          description="A chart without numbers says why"
          figure={fitnessFigure([], run, 'iteration')}
          fileName="gallery-empty"
        />
        <ChartCard
          title="Heat map"
          description="Each metric between its own lowest and highest value; missing cells are blank"
          figure={metrics.figure}
          fileName="gallery-metrics"
          notes={[`Never changes, so it is left out: ${metrics.constants.join(', ')}.`]}
        />
        <ChartCard
          title="Adaptive actions"
          description="Marks on rows of names, one mark per kind"
          figure={adaptiveTimeline(sampleActions())}
          fileName="gallery-actions"
        />
        <AnalysisGallery />
      </div>
    </>
  );
}

function LogFitness(): JSX.Element {
  const [scales, setScales] = createSignal<{ x: 'linear' | 'log'; y: 'linear' | 'log' }>(log);
  return (
    <ChartCard
      title="Thinned"
      description="50 000 iterations on log axes: 2 000 points on the screen, all of them in the CSV"
      figure={fitnessFigure(sampleIterations(50_000), run, 'evaluations')}
      fileName="gallery-thinned"
      scales={scales()}
      onScalesChange={setScales}
    />
  );
}

function GrowingFitness(): JSX.Element {
  const [count, setCount] = createSignal(10);
  const timer = setInterval(() => setCount((length) => (length % 200) + 1), growMillis);
  onCleanup(() => clearInterval(timer));
  return (
    <ChartCard
      title="Growing"
      description="Two iterations more each second; zoom and switched-off series stay"
      figure={fitnessFigure(sampleIterations(200).slice(0, count()), run, 'iteration')}
      fileName="gallery-growing"
    />
  );
}
