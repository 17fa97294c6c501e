import { createMemo, type JSX } from 'solid-js';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { readNumber } from '#shared/syntax.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import type { Mark } from '#renderer/charts/figure.ts';
import {
  hasPopulations,
  makeFitnessFigure,
  type ProgressAxis,
} from '#renderer/charts/figures/fitness.ts';
import { createRestHeight } from '#renderer/charts/window-height.ts';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { getMarks, type Diagnoses } from '#renderer/features/runs/diagnoses.ts';

interface FitnessTabProps {
  run: RunDetail;
  iterations: QueryState<readonly IterationRow[]>;
  diagnoses: Diagnoses;
  /** Convergence of the finished siblings of a RUNNING run; null without any. */
  band: RunForecast['band'];
}

/** Height of the page around the chart, in pixels. */
const chromePixels = 360;

const axisNames = { iteration: 'Iterations', evaluations: 'Evaluations' } as const;

/** The fitness of a run over its iterations or evaluations. */
export function FitnessTab(props: FitnessTabProps): JSX.Element {
  const height = createRestHeight(chromePixels, 300);
  return (
    <QueryView
      query={props.iterations}
      skeleton={<Skeleton content="iterations" shape={{ blockPixels: height() }} />}
    >
      {(rows) => (
        <FitnessCard
          run={props.run}
          rows={rows()}
          diagnoses={props.diagnoses}
          band={props.band}
          heightPixels={height()}
        />
      )}
    </QueryView>
  );
}

interface FitnessCardProps {
  run: RunDetail;
  rows: readonly IterationRow[];
  diagnoses: Diagnoses;
  band: RunForecast['band'];
  heightPixels: number;
}

function FitnessCard(props: FitnessCardProps): JSX.Element {
  // The run is fetched again on every change of the database; the chart depends only on three of its values.
  const direction = createMemo(() => props.run.direction);
  const targetFitness = createMemo(() => props.run.targetFitness);
  const isLive = createMemo(() => isRunning(props.run));
  const [selectedAxis, setAxis] = createUrlSignal(
    'by',
    asChoice(['iteration', 'evaluations'], undefined),
  );
  // The siblings are compared at equal evaluations; a run that ends keeps its axis.
  const defaultAxis = createMemo<ProgressAxis>(
    (previous) => (previous === 'evaluations' || props.band !== null ? 'evaluations' : 'iteration'),
    'iteration',
  );
  const axis = (): ProgressAxis => selectedAxis() ?? defaultAxis();
  const band = () => (axis() === 'evaluations' ? props.band : null);
  const marks = (): Mark[] => {
    const iterations = props.rows.map(({ iteration }) => Number(iteration));
    return getMarks(
      props.diagnoses,
      ['best'],
      iterations,
      props.rows.map((row) => readNumber(row[axis()])),
    );
  };
  const figure = createMemo(() =>
    makeFitnessFigure(
      props.rows,
      { direction: direction(), targetFitness: targetFitness(), isRunning: isLive() },
      axis(),
      marks(),
      band(),
    ),
  );
  return (
    <ChartCard
      subject={props.run.runId}
      entry={{
        id: 'fitness',
        title: 'Fitness',
        describe: () =>
          `${
            hasPopulations(props.rows)
              ? 'Best so far, best and mean of each population with ± one standard deviation'
              : 'Best so far and best of each iteration'
          }; ${direction() === 'min' ? 'lower' : 'higher'} is better`,
        figure,
        heightPixels: () => props.heightPixels,
        notes: () => [...makeFitnessNotes(props.run), ...makeBandNotes(band())],
        controls: () => <ChoiceButtons labels={axisNames} selected={axis()} onChoose={setAxis} />,
      }}
    />
  );
}

const sourceSentences: Record<RunDetail['directionSource'], string | null> = {
  config: null,
  problem: null,
  trace:
    'Neither the configuration nor the problem states the direction; it is inferred from the trace.',
  default: 'Direction unknown; assumed minimisation.',
};

function makeBandNotes(band: RunForecast['band']): string[] {
  if (band === null) return [];
  return [
    `The band shows the quartiles, and its line the median, of the best so far of ${band.runs} finished runs of this experiment, over evaluations.`,
  ];
}

function makeFitnessNotes(run: RunDetail): string[] {
  const sentence = sourceSentences[run.directionSource];
  return sentence === null ? [] : [sentence];
}
