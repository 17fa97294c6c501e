import { createMemo, type JSX } from 'solid-js';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { hasActiveRuns, useTraces } from '#renderer/api/analysis.ts';
import { AnalysisChart, logBudgetScales } from '#renderer/pages/analysis/AnalysisChart.tsx';
import {
  AverageControls,
  createAverage,
  createTracesShown,
} from '#renderer/pages/analysis/AverageControls.tsx';
import { convergenceDescription } from '#renderer/pages/analysis/ComparisonCharts.tsx';
import { KeyFigures } from '#renderer/pages/analysis/KeyFigures.tsx';
import { GeneralNotes } from '#renderer/pages/analysis/GeneralNotes.tsx';
import { notesAt } from '#renderer/pages/analysis/note-places.ts';
import type { AskedObjective } from '#renderer/pages/analysis/objective.ts';
import { hasTarget, successWords } from '#renderer/pages/analysis/success-words.ts';
import { Notes } from '#renderer/components/Notes.tsx';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { convergenceFigure, runTracesOf } from '#renderer/charts/figures/convergence.ts';
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
} from '#renderer/charts/figures/step-curves.ts';

interface AnalysisTabProps {
  answer: ExperimentAnalysis;
  /** What the experiment is called in the charts. */
  name: string;
  objective: AskedObjective;
  /** Begins the names of exported files. */
  subject: string;
  isPlaceholder: boolean;
}

/** The figures of one experiment over its repeats. */
export function AnalysisTab(props: AnalysisTabProps): JSX.Element {
  const chart = {
    get answer() {
      return props.answer;
    },
    get name() {
      return props.name;
    },
    get subject() {
      return props.subject;
    },
  };
  return (
    <div class="analysis" classList={{ 'analysis-previous': props.isPlaceholder }}>
      <GeneralNotes notes={props.answer.notes} />
      <div class="analysis-key">
        <KeyFigures answer={props.answer} />
        <Notes notes={notesAt(props.answer.notes, 'success')} />
      </div>
      <ChartGrid entries={[]} subject={props.subject}>
        <Convergence {...chart} objective={props.objective} />
        <Ecdf {...chart} />
        <SuccessVsBudget {...chart} />
        <TimeToTarget {...chart} />
        <BestFitness {...chart} />
        <BestFitnessHistogram {...chart} />
        <DataProfile {...chart} />
        <PerformanceProfile {...chart} />
      </ChartGrid>
    </div>
  );
}

type ChartProps = Pick<AnalysisTabProps, 'answer' | 'name' | 'subject'>;

function Convergence(props: ChartProps & Pick<AnalysisTabProps, 'objective'>): JSX.Element {
  const [average] = createAverage();
  const [isShown] = createTracesShown();
  const traces = useTraces(
    () => (isShown() ? [props.answer.experimentId] : []),
    () => props.objective,
    () => hasActiveRuns(props.answer.notes),
  );
  const shownTraces = () => (isShown() ? traces.data?.[0] : undefined);
  const figure = createMemo(() => {
    const runTraces = runTracesOf(shownTraces());
    return convergenceFigure(
      [
        {
          name: props.name,
          paletteIndex: 0,
          points: props.answer.convergence95Ci,
          ...(runTraces.length > 0 && { runTraces }),
        },
      ],
      { average: average(), targetFitness: props.answer.targetFitness },
    );
  });
  const thinned = (): string[] =>
    shownTraces()?.runs.some((run) => run.isThinned) === true
      ? ['Of single runs only the improvements that show are drawn.']
      : [];
  return (
    <AnalysisChart
      id="convergence"
      title="Convergence"
      description={convergenceDescription(average())}
      figure={figure()}
      subject={props.subject}
      notes={thinned()}
      controls={() => (
        <AverageControls
          traces={{ isShown: isShown(), isLoading: traces.isLoading, refusal: undefined }}
        />
      )}
    />
  );
}

function Ecdf(props: ChartProps): JSX.Element {
  const figure = createMemo(() => {
    const { ecdfTotalRuns, ecdfSuccessfulRuns, convergence95Ci } = props.answer;
    return ecdfFigure(
      [
        { name: 'of all runs', paletteIndex: 0, points: ecdfTotalRuns },
        { name: 'of solved runs', paletteIndex: 1, points: ecdfSuccessfulRuns },
      ],
      { budgets: budgetsOf([convergence95Ci]), of: 'runs', hasTarget: hasTarget(props.answer) },
    );
  });
  return (
    <AnalysisChart
      id="ecdf"
      title="Runtime ECDF"
      description={`Share of all runs, and of the solved ones, that ${successWords(props.answer)} within a budget`}
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
    />
  );
}

function SuccessVsBudget(props: ChartProps): JSX.Element {
  const figure = createMemo(() =>
    successVsBudgetFigure([
      { name: props.name, paletteIndex: 0, points: props.answer.successVsBudget },
    ]),
  );
  return (
    <AnalysisChart
      id="success"
      title="Success by budget"
      description={`Share of all runs that ${successWords(props.answer)} within each of 64 budgets`}
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
    />
  );
}

function TimeToTarget(props: ChartProps): JSX.Element {
  const figure = createMemo(() =>
    timeToTargetFigure(props.answer.timeToTargetHistogram, {
      paletteIndex: 0,
      hasTarget: hasTarget(props.answer),
    }),
  );
  return (
    <AnalysisChart
      id="time-to-target"
      title="Time to target"
      description="How many solved runs needed how many evaluations"
      figure={figure()}
      subject={props.subject}
    />
  );
}

function BestFitness(props: ChartProps): JSX.Element {
  const figure = createMemo(() => {
    const { bestFitnessBox, bestFitnessValues, targetFitness } = props.answer;
    return bestFitnessBoxes(
      [{ name: props.name, paletteIndex: 0, box: bestFitnessBox, values: bestFitnessValues }],
      targetFitness,
    );
  });
  return (
    <AnalysisChart
      id="best"
      title="Best fitness"
      description="Of completed runs: quartiles, whiskers within 1.5 IQR, the mean dashed, every value beside it"
      figure={figure()}
      subject={props.subject}
      notes={notesAt(props.answer.notes, 'sample')}
    />
  );
}

function BestFitnessHistogram(props: ChartProps): JSX.Element {
  const figure = createMemo(() => bestFitnessHistogramFigure(props.answer.bestFitnessHistogram, 0));
  return (
    <AnalysisChart
      id="best-histogram"
      title="Best fitness, counted"
      description="How many completed runs ended with which best fitness"
      figure={figure()}
      subject={props.subject}
    />
  );
}

function DataProfile(props: ChartProps): JSX.Element {
  const figure = createMemo(() => {
    const { dataProfile, dataProfileUnit } = props.answer;
    return dataProfileFigure(
      [{ name: props.name, paletteIndex: 0, points: dataProfile }],
      dataProfileUnit,
    );
  });
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

function PerformanceProfile(props: ChartProps): JSX.Element {
  const figure = createMemo(() =>
    performanceProfileFigure([
      { name: props.name, paletteIndex: 0, points: props.answer.performanceProfile },
    ]),
  );
  return (
    <AnalysisChart
      id="performance-profile"
      title="Performance profile"
      description="Share of accuracy levels whose ERT is within a ratio of the best of all experiments on this instance"
      figure={figure()}
      subject={props.subject}
      usualScales={logBudgetScales}
    />
  );
}
