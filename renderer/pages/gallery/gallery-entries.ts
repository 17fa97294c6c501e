import { createSignal, type Accessor } from 'solid-js';
import { createHeldValue } from '#renderer/charts/held-value.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { getAdaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { makeBestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { makeConvergenceFigure } from '#renderer/charts/figures/convergence.ts';
import { makeCriticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import { makeErtRatioFigure } from '#renderer/charts/figures/ert-ratios.ts';
import { makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import {
  makeBestFitnessHistogramFigure,
  makeTimeToTargetFigure,
} from '#renderer/charts/figures/histograms.ts';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { makeParameterPoints } from '#renderer/charts/figures/parameter-points.ts';
import { makeEcdfFigure } from '#renderer/charts/figures/step-curves.ts';
import { getBudgetRange, makeTargetEcdfFigure } from '#renderer/charts/figures/target-ecdf.ts';
import {
  emptyBox,
  sampleBins,
  sampleBox,
  sampleConvergence,
  sampleCrowd,
  sampleDescent,
  sampleExperiments,
  sampleParameter,
  sampleRunTraces,
  sampleRanks,
  sampleShare,
} from './sample-analysis.ts';
import { sampleEcdf, sampleRatios } from './sample-coco.ts';
import { sampleActions, sampleBits, sampleIterations, sampleMetrics } from './sample-data.ts';

const run = { direction: 'min', targetFitness: 0.01, isRunning: true } as const;
const names = ['umda', 'pbil', 'cga'] as const;

const samplePoints = {
  experiments: sampleExperiments,
  hasTarget: true,
  getLook: (name: string) => ({ name, paletteIndex: names.findIndex((other) => other === name) }),
  getHref: (id: string) => `/experiments/${id}`,
};

/** Returns all charts of the gallery; `count` is the current length of the growing ones. */
export function makeGalleryEntries(count: Accessor<number>): ChartEntry[] {
  return [...makeRunEntries(count), ...makeAnalysisEntries(count), ...makeCampaignEntries()];
}

function makeRunEntries(count: Accessor<number>): ChartEntry[] {
  const metrics = makeMetricHeatMap(sampleMetrics(40));
  return [
    {
      id: 'fitness',
      title: 'Fitness',
      describe: () => 'Best so far, best and mean of 60 iterations, with a band and a target',
      figure: () => makeFitnessFigure(sampleIterations(60), run, 'iteration'),
      scales: { y: 'linear' },
    },
    {
      id: 'thinned',
      title: 'Thinned',
      describe: () =>
        '50 000 iterations on log axes: 2 000 points on the screen, all of them in the CSV',
      figure: () => makeFitnessFigure(sampleIterations(50_000), run, 'evaluations'),
    },
    {
      id: 'growing',
      title: 'Growing',
      describe: () => 'Two iterations more each second; zoom and switched-off series stay',
      figure: () => makeFitnessFigure(sampleIterations(200).slice(0, count()), run, 'iteration'),
    },
    {
      id: 'empty',
      title: 'No data',
      describe: () => 'A chart without data states the reason',
      figure: () => makeFitnessFigure([], run, 'iteration'),
    },
    {
      id: 'metrics',
      title: 'Heat map',
      describe: () => 'Each metric between its own minimum and maximum; missing cells are blank',
      figure: () => metrics.figure,
      notes: () => [`Constant, not plotted: ${metrics.constants.join(', ')}.`],
    },
    {
      id: 'large',
      title: 'Large heat map',
      describe: () => '512 bits over 400 iterations',
      figure: () => sampleBits(512, 400),
    },
    {
      id: 'actions',
      title: 'Adaptive actions',
      describe: () => 'Marks on rows of names, one mark per kind',
      figure: () => getAdaptiveTimeline(sampleActions()),
    },
  ];
}

function makeAnalysisEntries(count: Accessor<number>): ChartEntry[] {
  return [
    {
      id: 'convergence',
      title: 'Convergence',
      describe: () => 'Means with t-intervals of three groups, growing; the zoom stays',
      figure: () => {
        const groups = names.map((name, paletteIndex) => ({
          name,
          paletteIndex,
          points: sampleConvergence(paletteIndex + 1, 60).slice(0, count()),
        }));
        return makeConvergenceFigure(groups, { average: 'mean', targetFitness: 40 });
      },
    },
    {
      id: 'ecdf',
      title: 'Runtime ECDF',
      describe: () => 'Steps of three groups, one of which never reached the target',
      figure: () =>
        makeEcdfFigure(
          names.map((name, paletteIndex) => ({
            name,
            paletteIndex,
            points: sampleShare(
              paletteIndex + 1,
              paletteIndex === 2 ? 0 : 12,
              0.9 - paletteIndex / 5,
            ),
            legendNote: 'n = 15',
          })),
          { budgets: [50, 1200], of: 'all runs', hasTarget: true },
        ),
      scales: { x: 'log' },
    },
    {
      id: 'decades',
      title: 'Seventeen decades',
      describe: () =>
        'Medians with quartiles of three groups whose runs fall to 1e-17; a target of 0',
      figure: () =>
        makeConvergenceFigure(
          names.map((name, paletteIndex) => ({
            name,
            paletteIndex,
            points: sampleDescent(paletteIndex + 1, 80),
            runTraces: sampleRunTraces(paletteIndex + 1, 5),
          })),
          { average: 'median', targetFitness: 0 },
        ),
    },
    {
      id: 'crowd',
      title: 'A thousand runs',
      describe: () => 'Two groups with 500 single runs of 200 points each behind their medians',
      figure: () =>
        makeConvergenceFigure(
          names.slice(0, 2).map((name, paletteIndex) => ({
            name,
            paletteIndex,
            points: sampleDescent(paletteIndex + 1, 80).map((point) => ({
              ...point,
              x: 2 * point.x,
            })),
            runTraces: sampleCrowd(paletteIndex + 1, 500),
          })),
          { average: 'median', targetFitness: null },
        ),
    },
    {
      id: 'whole',
      title: 'Whole numbers',
      describe: () => 'Fitness that counts: a bar over each number',
      figure: () =>
        makeBestFitnessHistogramFigure(
          [2, 5, 0, 8].map((runs, index) => ({
            startInclusive: 30.5 + index,
            endExclusive: 31.5 + index,
            count: runs,
          })),
          [31, 34],
          1,
        ),
    },
    {
      id: 'histogram',
      title: 'Time to target',
      describe: () => 'A histogram; the fourth bin is empty',
      figure: () =>
        makeTimeToTargetFigure(sampleBins([3, 7, 2, 0, 1]), { paletteIndex: 0, hasTarget: true }),
    },
    {
      id: 'boxes',
      title: 'Best fitness',
      describe: () =>
        'Box plots with outliers, one with all of its values, of which many are equal, one empty',
      figure: () =>
        makeBestFitnessBoxes(
          [
            ...names.map((name, paletteIndex) => ({
              name,
              paletteIndex,
              box: sampleBox(38 - paletteIndex),
            })),
            {
              name: 'all values',
              paletteIndex: 4,
              box: sampleBox(37),
              values: [33, 33.5, 36, 36, 36, 36, 37, 37, 37, 37, 37, 37.5, 37.5, 38, 38],
            },
            { name: 'failed', paletteIndex: 3, box: emptyBox },
          ],
          40,
        ),
    },
    {
      id: 'points',
      title: 'algorithm.populationSize',
      describe: () => 'Experiments by a number; those without a successful run at the upper edge',
      figure: () =>
        makeParameterPoints(
          sampleParameter('algorithm.populationSize', ['20', '40', '80', '160', '320', '640']),
          samplePoints,
        ),
    },
    {
      id: 'names',
      title: 'selection.type',
      describe: () => 'Experiments by a name, some without the parameter',
      figure: () =>
        makeParameterPoints(
          sampleParameter('selection.type', ['roulette', 'tournament', null]),
          samplePoints,
        ),
    },
    {
      id: 'ranks',
      title: 'Friedman ranks',
      describe: () => 'Five groups with three bars that overlap',
      figure: () =>
        makeCriticalDifferenceFigure(sampleRanks, sampleRanks.pairs, (name) => ({
          name,
          paletteIndex: sampleRanks.ranks.findIndex(({ algorithm }) => algorithm === name),
        })),
      heightPixels: () => 180,
    },
  ];
}

function makeCampaignEntries(): ChartEntry[] {
  const ratios = sampleRatios();
  const [budget, setBudget] = createSignal(200);
  return [
    {
      id: 'ratios',
      title: 'Infinite values',
      describe: () => 'Hollow marks at the top, side by side, where there is no mean',
      figure: () =>
        makeErtRatioFigure({ ...ratios, referenceKind: 'stored', dropped: [] }, (name) =>
          name === 'es' ? 0 : 1,
        ),
      scales: { x: 'log', y: 'log' },
    },
    {
      id: 'handle',
      title: 'Runtime ECDF over targets',
      describe: () => 'Crosses on the curves, and a handle that a drag or the arrow keys move',
      figure: () => makeTargetEcdfFigure(sampleEcdf(), (name) => (name === 'es' ? 0 : 1)),
      scales: { x: 'log' },
      handle: {
        label: 'Budget',
        value: createHeldValue(budget, (x) => x !== undefined && setBudget(x)),
        defaultValue: () => undefined,
        range: () => getBudgetRange(sampleEcdf()),
        text: (x) => `${x.toFixed(1)} evaluations / dimension`,
      },
    },
  ];
}
