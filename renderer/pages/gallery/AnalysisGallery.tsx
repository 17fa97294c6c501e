import { createMemo, createSignal, onCleanup, type JSX } from 'solid-js';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { convergenceFigure } from '#renderer/charts/figures/convergence.ts';
import { criticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import { timeToTargetFigure } from '#renderer/charts/figures/histograms.ts';
import { ecdfFigure } from '#renderer/charts/figures/step-curves.ts';
import {
  sampleBins,
  sampleBox,
  sampleConvergence,
  sampleRanks,
  sampleShare,
} from '#renderer/charts/sample-analysis.ts';

const names = ['umda', 'pbil', 'cga'] as const;
const logBudgets = { x: 'log', y: 'linear' } as const;
const growMillis = 1000;

/** The figures of analyses with generated numbers. */
export function AnalysisGallery(): JSX.Element {
  return (
    <>
      <GrowingConvergence />
      <ChartCard
        title="Runtime ECDF"
        description="Steps of three groups, one of which never reached the target"
        figure={ecdfFigure(
          names.map((name, style) => ({
            name,
            style,
            points: sampleShare(style + 1, style === 2 ? 0 : 12, 0.9 - style / 5),
            legendNote: 'n = 15',
          })),
          { budgets: [50, 1200], of: 'all runs', hasTarget: true },
        )}
        fileName="gallery-ecdf"
        scales={logBudgets}
      />
      <ChartCard
        title="Time to target"
        description="A histogram; the fourth bin is empty"
        figure={timeToTargetFigure(sampleBins([3, 7, 2, 0, 1]), { style: 0, hasTarget: true })}
        fileName="gallery-histogram"
      />
      <ChartCard
        title="Best fitness"
        description="Box plots with outliers, and one group without any value"
        figure={bestFitnessBoxes(
          [
            ...names.map((name, style) => ({ name, style, box: sampleBox(38 - style) })),
            { name: 'failed', style: 3, box: emptyBox },
          ],
          40,
        )}
        fileName="gallery-boxes"
      />
      <ChartCard
        title="Friedman ranks"
        description="Five groups with two bars that overlap"
        figure={criticalDifferenceFigure(sampleRanks, (name) => ({
          name,
          style: sampleRanks.ranks.findIndex(({ algorithm }) => algorithm === name),
        }))}
        fileName="gallery-ranks"
        heightPixels={180}
      />
    </>
  );
}

const emptyBox = {
  n: 0,
  min: null,
  q1: null,
  median: null,
  q3: null,
  max: null,
  mean: null,
  stdDev: null,
  whiskerLow: null,
  whiskerHigh: null,
  outliers: [],
};

function GrowingConvergence(): JSX.Element {
  const [count, setCount] = createSignal(10);
  const timer = setInterval(() => setCount((length) => (length % 60) + 1), growMillis);
  onCleanup(() => clearInterval(timer));
  const figure = createMemo(() =>
    convergenceFigure(
      names.map((name, style) => ({
        name,
        style,
        points: sampleConvergence(style + 1, 60).slice(0, count()),
      })),
      { center: 'mean', targetFitness: 40 },
    ),
  );
  return (
    <ChartCard
      title="Convergence"
      description="Means with t-intervals of three groups, growing; the zoom stays"
      figure={figure()}
      fileName="gallery-convergence"
    />
  );
}
