import { createMemo, type Accessor } from 'solid-js';
import { countOf, formatCount, formatFitness } from '#shared/number-format.ts';
import type {
  CurvePoint,
  ExperimentAnalysis,
  ProblemComparison,
} from '#shared/schemas/analysis.ts';
import type { ClaimedPair } from '#shared/claim-marks.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import type { Scales } from '#renderer/charts/figure.ts';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { convergenceFigure } from '#renderer/charts/figures/convergence.ts';
import { criticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import {
  bestFitnessHistogramFigure,
  timeToTargetFigure,
} from '#renderer/charts/figures/histograms.ts';
import {
  budgetsOf,
  dataProfileFigure,
  ecdfFigure,
  performanceProfileFigure,
  successVsBudgetFigure,
  targetsEcdfFigure,
  type ShareCurve,
} from '#renderer/charts/figures/step-curves.ts';
import type { AnalysedGroup, AnalysedGroups } from './analysed-groups.ts';
import { AverageControls, createAverage } from './AverageControls.tsx';
import { createEcdfChoice, EcdfControls } from './EcdfControls.tsx';
import type { GroupLook } from './group-looks.ts';
import { notesAt } from './note-places.ts';
import { barNotes, rankTestWords } from './rank-words.ts';
import type { GroupTraces } from './run-traces.ts';
import { createTargets, TargetsField } from './TargetsField.tsx';
import { createTargetCut, type TargetDrag } from './target-drag.ts';
import { hasTarget, successWords } from './success-words.ts';

type Groups = Accessor<AnalysedGroups>;

/** Charts of when a target was reached, which say nothing without one. */
const targetCharts = new Set(['ecdf', 'success', 'time-to-target']);

/** The charts that can be drawn of an answer: without a target those that need one are missing. */
export function drawableCharts(
  charts: readonly ChartEntry[],
  answer: Pick<ProblemComparison, 'targetFitness'>,
): readonly ChartEntry[] {
  return hasTarget(answer) ? charts : charts.filter(({ id }) => !targetCharts.has(id));
}

/** Budgets span decades: their axis is logarithmic wherever it can be. */
const logBudgets: Partial<Scales> = { x: 'log' };

/** The charts that begin every analysis: convergence, runtime ECDF, that over several targets, best fitness. */
export function createMainCharts(
  analysed: Groups,
  traces: GroupTraces,
  drag: TargetDrag,
): ChartEntry[] {
  return [
    convergenceChart(analysed, traces, drag),
    isAlone(analysed) ? bothEcdfsChart(analysed) : ecdfChart(analysed),
    targetsEcdfChart(analysed),
    bestFitnessChart(analysed),
  ];
}

/** Data and performance profiles, which end every analysis. */
export function createProfileCharts(analysed: Groups): ChartEntry[] {
  return [dataProfileChart(analysed), performanceProfileChart(analysed)];
}

/** What only one experiment by itself shows: success by budget, and the counts behind its averages. */
export function createExperimentCharts(answer: Accessor<ExperimentAnalysis>): ChartEntry[] {
  return [
    {
      id: 'success',
      title: 'Success by budget',
      describe: () =>
        `Share of all runs that ${successWords(answer())} within each of 64 budgets, with its 95 % interval`,
      figure: () => successVsBudgetFigure(answer().successVsBudget),
      scales: logBudgets,
    },
    {
      id: 'time-to-target',
      title: 'Time to target',
      describe: () => 'How many solved runs needed how many evaluations',
      figure: () =>
        timeToTargetFigure(answer().timeToTargetHistogram, {
          paletteIndex: 0,
          hasTarget: hasTarget(answer()),
        }),
    },
    {
      id: 'best-histogram',
      title: 'Distribution of best fitness',
      describe: () => 'How many completed runs ended with which best fitness',
      figure: () => bestFitnessHistogramFigure(answer().bestFitnessHistogram, 0),
    },
  ];
}

/** What ranks are drawn from. */
interface RankedAnswer extends Pick<ProblemComparison, 'friedman' | 'kruskalWallis' | 'notes'> {
  /** Groups without a common bar are claimed to differ by these. */
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[];
  /** What two groups without a common bar do, after "differ significantly". */
  claim: string;
}

/** Mean ranks of the groups, with bars over those that are not shown to differ. */
export function createRanksChart(
  answer: Accessor<RankedAnswer>,
  look: Accessor<(algorithm: string) => GroupLook>,
): ChartEntry {
  return {
    id: 'ranks',
    title: 'Mean ranks',
    describe: () => rankTestWords(answer()),
    figure: () => criticalDifferenceFigure(answer().friedman, answer().pairs, look()),
    notes: () => [
      ...notesAt(answer().notes, 'ranks'),
      ...barNotes(answer(), (algorithm) => look()(algorithm).name),
    ],
    heightPixels: () => Math.max(280, 90 + 14 * answer().friedman.ranks.length),
  };
}

function isAlone(analysed: Groups): boolean {
  return analysed().groups.length === 1 && analysed().groups[0]?.bestValues !== undefined;
}

function convergenceChart(analysed: Groups, traces: GroupTraces, drag: TargetDrag): ChartEntry {
  const choice = createAverage(() => analysed().groups.map(({ convergence }) => convergence));
  const [average] = choice;
  // While the target is dragged, the axis and the line at the former target stay.
  const drawnTarget = createMemo(
    (former: number | null) => (drag.dragged() === undefined ? analysed().targetFitness : former),
    analysed().targetFitness,
  );
  return {
    id: 'convergence',
    title: 'Convergence',
    describe: () =>
      average() === 'mean'
        ? 'Mean best so far with 95 % t-interval; finished runs carried forward'
        : 'Median best so far with the quartiles; finished runs carried forward',
    figure: () =>
      convergenceFigure(
        analysed().groups.map((group) => {
          const { name, paletteIndex, convergence: points, box } = group;
          const runTraces = traces.of(group);
          return { name, paletteIndex, points, box, ...(runTraces.length > 0 && { runTraces }) };
        }),
        { average: average(), targetFitness: drawnTarget() },
      ),
    notes: () =>
      traces.isThinned() ? ['Of single runs only the improvements that show are drawn.'] : [],
    controls: () => <AverageControls average={choice} traces={traces} />,
    cut: createTargetCut(analysed, drag),
  };
}

function bothEcdfsChart(analysed: Groups): ChartEntry {
  return {
    id: 'ecdf',
    title: 'Runtime ECDF',
    describe: () =>
      `Share of all runs, and of the solved ones, that ${successWords(analysed())} within a budget`,
    figure: () =>
      ecdfFigure(
        analysed().groups.flatMap(({ ecdf }) => [
          { name: 'of all runs', paletteIndex: 0, points: ecdf.all },
          { name: 'of solved runs', paletteIndex: 1, points: ecdf.solved },
        ]),
        { ...ecdfFrame(analysed()), of: 'runs' },
      ),
    scales: logBudgets,
  };
}

function ecdfChart(analysed: Groups): ChartEntry {
  const [choice] = createEcdfChoice();
  const counted = (group: AnalysedGroup): number =>
    choice() === 'all' ? group.totalRuns : group.successfulRuns;
  return {
    id: 'ecdf',
    title: 'Runtime ECDF',
    describe: () =>
      choice() === 'all'
        ? `Share of all runs that ${successWords(analysed())} within a budget; unsolved runs included`
        : `Share of the solved runs that ${successWords(analysed())} within a budget; unsolved runs left out`,
    figure: () =>
      ecdfFigure(
        analysed().groups.map((group) => ({
          ...curveOf(group, group.ecdf[choice()]),
          legendNote: `n = ${formatCount(counted(group))}`,
        })),
        { ...ecdfFrame(analysed()), of: choice() === 'all' ? 'all runs' : 'solved runs' },
      ),
    scales: logBudgets,
    controls: () => <EcdfControls />,
  };
}

function targetsEcdfChart(analysed: Groups): ChartEntry {
  const [targets, setTargets] = createTargets();
  return {
    id: 'targets-ecdf',
    title: 'ECDF over targets',
    describe: () =>
      `Share of pairs of a run and one of ${countOf(analysed().targets.length, 'target')} reached within a ` +
      'budget; × median budget of the runs that missed one',
    figure: () =>
      targetsEcdfFigure(
        analysed().groups.map((group) => ({
          ...curveOf(group, group.ecdfTargets.points),
          crossAt: group.ecdfTargets.crossAt,
        })),
        budgetsOf(analysed().groups.map(({ convergence }) => convergence)),
      ),
    scales: logBudgets,
    notes: () => targetsNotes(analysed()),
    controls: () => (
      <TargetsField
        label="Targets"
        placeholder="e.g. 30, 35, 40"
        value={targets()}
        onCommit={setTargets}
      />
    ),
  };
}

/** Which targets are meant where none are typed. */
function targetsNotes({ targets, targetsSource }: AnalysedGroups): string[] {
  if (targetsSource === 'query' || targets.length === 0) return [];
  const values = targets.map(formatFitness).join(', ');
  return [
    `Default targets, chosen from these data (values attained at the profile levels): ${values}.`,
  ];
}

function ecdfFrame(analysed: AnalysedGroups) {
  return {
    budgets: budgetsOf(analysed.groups.map(({ convergence }) => convergence)),
    hasTarget: hasTarget(analysed),
  };
}

function bestFitnessChart(analysed: Groups): ChartEntry {
  return {
    id: 'best',
    title: 'Best fitness',
    describe: () =>
      `Completed runs: quartiles, whiskers to 1.5 IQR, mean dashed, ${
        isAlone(analysed) ? 'every value' : 'outliers'
      } as points`,
    figure: () =>
      bestFitnessBoxes(
        analysed().groups.map(({ name, paletteIndex, box, bestValues }) => ({
          name,
          paletteIndex,
          box,
          ...(bestValues && { values: bestValues }),
        })),
        analysed().targetFitness,
      ),
    notes: () => [sampleSizes(analysed()), ...notesAt(analysed().notes, 'sample')],
  };
}

/** Groups up to which each is named with its runs: of more the table says it, and each box when it is read. */
const mostSizesNamed = 8;

/** How many runs each box stands for. */
function sampleSizes({ groups }: AnalysedGroups): string {
  const counts = groups.map(({ box }) => box.n);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (groups.length > mostSizesNamed) {
    const range =
      least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
    return `Completed runs of each of the ${formatCount(groups.length)} groups: n = ${range}.`;
  }
  const sizes = groups.map(
    ({ name, box }) => `${groups.length > 1 ? `${name} ` : ''}n = ${formatCount(box.n)}`,
  );
  return `Completed runs: ${sizes.join(', ')}.`;
}

function dataProfileChart(analysed: Groups): ChartEntry {
  return {
    id: 'data-profile',
    title: 'Data profile',
    describe: () =>
      'Share of pairs of a run and an accuracy level solved within a budget (Moré & Wild)',
    figure: () =>
      dataProfileFigure(
        analysed().groups.map((group) => curveOf(group, group.dataProfile)),
        analysed().dataProfileUnit,
      ),
    notes: () => notesAt(analysed().notes, 'profiles'),
    scales: logBudgets,
  };
}

function performanceProfileChart(analysed: Groups): ChartEntry {
  const rivals = (): string =>
    isAlone(analysed) ? 'of all experiments on this instance' : 'group’s';
  return {
    id: 'performance-profile',
    title: 'Performance profile',
    describe: () =>
      `Share of accuracy levels whose ERT is within a ratio of the best ${rivals()} (Dolan & Moré)`,
    figure: () =>
      performanceProfileFigure(
        analysed().groups.map((group) => curveOf(group, group.performanceProfile)),
      ),
    scales: logBudgets,
  };
}

function curveOf({ name, paletteIndex }: GroupLook, points: readonly CurvePoint[]): ShareCurve {
  return { name, paletteIndex, points };
}
