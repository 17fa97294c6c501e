import { createMemo, type JSX } from 'solid-js';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { hasActiveRuns, useTraces } from '#renderer/api/analysis.ts';
import { createTracesShown } from './AverageControls.tsx';
import {
  BestFitnessChart,
  ConvergenceChart,
  DataProfileChart,
  EcdfChart,
  PerformanceProfileChart,
  RanksChart,
} from './ComparisonCharts.tsx';
import { GeneralNotes } from './GeneralNotes.tsx';
import { groupLooks } from './group-looks.ts';
import { GroupTable } from './GroupTable.tsx';
import { notesAt } from './note-places.ts';
import { PairwiseCard } from './PairwiseCard.tsx';
import './analysis.css';

interface ComparisonProps {
  answer: ProblemComparison;
  /** All algorithms of the problem, which keep their colours whichever are chosen. */
  knownAlgorithms: readonly string[];
  /** Direction and target that the answer was asked for with. */
  objective: { direction?: 'min' | 'max' | undefined; target?: number | undefined };
  /** Begins the names of exported files. */
  subject: string;
  isPlaceholder: boolean;
}

/** Most experiments whose runs are drawn one by one. */
const maximumTracedExperiments = 24;

/** Groups of runs on one problem instance, compared: tables, curves, tests, and what was left out. */
export function Comparison(props: ComparisonProps): JSX.Element {
  const look = createMemo(() =>
    groupLooks(props.answer.algorithms, props.answer.groupBy, props.knownAlgorithms),
  );
  const [isShown] = createTracesShown();
  const experimentIds = createMemo(() =>
    props.answer.algorithms.flatMap((group) => group.experimentIds),
  );
  const refusal = (): string | undefined =>
    experimentIds().length > maximumTracedExperiments
      ? `The runs of more than ${maximumTracedExperiments} experiments would hide each other.`
      : undefined;
  const traces = useTraces(
    () => (isShown() && refusal() === undefined ? experimentIds() : []),
    () => ({ direction: props.objective.direction, target: props.objective.target }),
    () => hasActiveRuns(props.answer.notes),
  );
  const shared = {
    get answer() {
      return props.answer;
    },
    get look() {
      return look();
    },
    get subject() {
      return props.subject;
    },
  };
  return (
    <div class="analysis" classList={{ 'analysis-previous': props.isPlaceholder }}>
      <GeneralNotes notes={props.answer.notes} />
      <GroupTable
        answer={props.answer}
        look={look()}
        notes={notesAt(props.answer.notes, 'groups', 'success', 'sample')}
        isPlaceholder={false}
      />
      <ChartGrid entries={[]} subject={props.subject}>
        <ConvergenceChart
          {...shared}
          traces={isShown() ? traces.data : undefined}
          tracesControl={{
            isShown: isShown(),
            isLoading: traces.isLoading,
            refusal: refusal(),
          }}
        />
        <EcdfChart {...shared} />
        <PairwiseCard
          answer={props.answer}
          look={look()}
          notes={notesAt(props.answer.notes, 'pairs')}
          isPlaceholder={false}
        />
        <RanksChart {...shared} />
        <DataProfileChart {...shared} />
        <PerformanceProfileChart {...shared} />
        <BestFitnessChart {...shared} />
      </ChartGrid>
    </div>
  );
}
