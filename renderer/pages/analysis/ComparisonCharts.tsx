import { createMemo, type JSX } from 'solid-js';
import type { ExperimentTraces, ProblemComparison } from '#shared/schemas/analysis.ts';
import { formatCount } from '#shared/number-format.ts';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { convergenceFigure, runTracesOf } from '#renderer/charts/figures/convergence.ts';
import { criticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import {
  budgetsOf,
  dataProfileFigure,
  ecdfFigure,
  performanceProfileFigure,
  type ShareCurve,
} from '#renderer/charts/figures/step-curves.ts';
import { AnalysisChart, logBudgetScales } from './AnalysisChart.tsx';
import { AverageControls, createAverage, type TracesControl } from './AverageControls.tsx';
import { createEcdfChoice, EcdfControls } from './EcdfControls.tsx';
import type { GroupLook } from './group-looks.ts';
import { notesAt } from './note-places.ts';
import { barNotes, rankTestWords } from './rank-words.ts';
import { hasTarget, successWords } from './success-words.ts';

interface ComparisonChartProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  subject: string;
}

/** Convergence of the groups, overlaid; their runs behind it on demand. */
export function ConvergenceChart(
  props: ComparisonChartProps & {
    traces: readonly ExperimentTraces[] | undefined;
    tracesControl: TracesControl;
  },
): JSX.Element {
  const [average] = createAverage();
  const figure = createMemo(() => {
    const byExperiment = new Map(props.traces?.map((traces) => [traces.experimentId, traces]));
    return convergenceFigure(
      props.answer.convergence.map(({ name, points }) => {
        const ids = props.answer.algorithms.find(
          (group) => group.algorithm === name,
        )?.experimentIds;
        const runTraces = (ids ?? []).flatMap((id) => runTracesOf(byExperiment.get(id)));
        return { ...props.look(name), points, ...(runTraces.length > 0 && { runTraces }) };
      }),
      { average: average(), targetFitness: props.answer.targetFitness },
    );
  });
  return (
    <AnalysisChart
      id="convergence"
      title="Convergence"
      description={convergenceDescription(average())}
      figure={figure()}
      subject={props.subject}
      controls={() => <AverageControls traces={props.tracesControl} />}
    />
  );
}

/** What a convergence chart shows, in one line. */
export function convergenceDescription(average: 'mean' | 'median'): string {
  return average === 'mean'
    ? 'Mean best so far with 95 % t-interval; finished runs carried forward'
    : 'Median best so far; finished runs carried forward';
}

/** Runtime ECDFs of the groups, over all runs or over the solved ones. */
export function EcdfChart(props: ComparisonChartProps): JSX.Element {
  const [choice] = createEcdfChoice();
  const figure = createMemo(() => {
    const { answer, look } = props;
    const curves = choice() === 'all' ? answer.ecdfTotalRuns : answer.ecdfSuccessfulRuns;
    const counts = new Map(
      answer.algorithms.map((group) => [
        group.algorithm,
        choice() === 'all' ? group.totalRuns : group.successfulRuns,
      ]),
    );
    return ecdfFigure(
      curves.map(({ name, points }) => ({
        ...look(name),
        points,
        legendNote: `n = ${formatCount(counts.get(name) ?? 0)}`,
      })),
      {
        budgets: budgetsOf(answer.convergence.map(({ points }) => points)),
        of: choice() === 'all' ? 'all runs' : 'solved runs',
        hasTarget: hasTarget(answer),
      },
    );
  });
  return (
    <AnalysisChart
      id="ecdf"
      title="Runtime ECDF"
      description={
        choice() === 'all'
          ? `Share of all runs that ${successWords(props.answer)} within a budget; unsolved runs included`
          : `Share of the solved runs that ${successWords(props.answer)} within a budget; unsolved runs left out`
      }
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
      controls={() => <EcdfControls />}
    />
  );
}

/** Data profiles of the groups. */
export function DataProfileChart(props: ComparisonChartProps): JSX.Element {
  const figure = createMemo(() =>
    dataProfileFigure(
      curvesOf(props.answer.dataProfiles, props.look),
      props.answer.dataProfileUnit,
    ),
  );
  return (
    <AnalysisChart
      id="data-profile"
      title="Data profile"
      description="Share of pairs of a run and an accuracy level solved within a budget (Moré & Wild)"
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
      notes={notesAt(props.answer.notes, 'profiles')}
    />
  );
}

/** Performance profiles of the groups. */
export function PerformanceProfileChart(props: ComparisonChartProps): JSX.Element {
  const figure = createMemo(() =>
    performanceProfileFigure(curvesOf(props.answer.performanceProfiles, props.look)),
  );
  return (
    <AnalysisChart
      id="performance-profile"
      title="Performance profile"
      description="Share of accuracy levels whose ERT is within a ratio of the best group’s (Dolan & Moré)"
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
    />
  );
}

function curvesOf(
  series: ProblemComparison['dataProfiles'],
  look: (algorithm: string) => GroupLook,
): ShareCurve[] {
  return series.map(({ name, points }) => ({ ...look(name), points }));
}

/** Box plots of the groups' best fitness, which the tests compare. */
export function BestFitnessChart(props: ComparisonChartProps): JSX.Element {
  const figure = createMemo(() =>
    bestFitnessBoxes(
      props.answer.algorithms.map(({ algorithm, box }) => ({ ...props.look(algorithm), box })),
      props.answer.targetFitness,
    ),
  );
  return (
    <AnalysisChart
      id="best"
      title="Best fitness"
      description="Of completed runs: quartiles, whiskers within 1.5 IQR, outliers, the mean dashed"
      figure={figure()}
      subject={props.subject}
      notes={notesAt(props.answer.notes, 'sample')}
    />
  );
}

/** Average ranks with their critical difference. */
export function RanksChart(props: ComparisonChartProps): JSX.Element {
  const figure = createMemo(() => criticalDifferenceFigure(props.answer.friedman, props.look));
  return (
    <AnalysisChart
      id="ranks"
      title="Friedman ranks"
      description={rankTestWords(props.answer)}
      figure={figure()}
      subject={props.subject}
      notes={[...notesAt(props.answer.notes, 'ranks'), ...barNotes(props.answer)]}
      heightPixels={Math.max(170, 90 + 14 * props.answer.friedman.ranks.length)}
    />
  );
}
