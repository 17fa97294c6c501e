import { createMemo, Show, untrack, type Accessor, type JSX } from 'solid-js';
import { describeCount, formatCount, formatFitness } from '#shared/number-format.ts';
import type {
  CurvePoint,
  ExperimentAnalysis,
  ProblemComparison,
} from '#shared/schemas/analysis.ts';
import type { ClaimedPair } from '#shared/claim-marks.ts';
import type { ChartEntry, Handle } from '#renderer/charts/chart-entry.ts';
import type { HeldValue } from '#renderer/charts/held-value.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';
import { paletteSize } from '#renderer/charts/palette.ts';
import {
  makeBestFitnessBoxes,
  maximumDrawnValues,
} from '#renderer/charts/figures/best-fitness-boxes.ts';
import {
  makeConvergenceFigure,
  getUsualAverage,
  type Average,
  type ConvergenceGroup,
} from '#renderer/charts/figures/convergence.ts';
import { makeCriticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import {
  makeBestFitnessHistogramFigure,
  makeTimeToTargetFigure,
} from '#renderer/charts/figures/histograms.ts';
import {
  getBudgets,
  makeDataProfileFigure,
  makeEcdfFigure,
  makePerformanceProfileFigure,
  makeSuccessVsBudgetFigure,
  makeTargetsEcdfFigure,
  type ShareCurve,
} from '#renderer/charts/figures/step-curves.ts';
import type { AnalysedGroup, AnalysedGroups } from './analysed-groups.ts';
import type { GroupLook } from './group-looks.ts';
import { getNotesAt } from './note-places.ts';
import { makeBarNotes, type RankTests, describeRankTests } from './rank-words.ts';
import type { GroupTraces } from './run-traces.ts';
import { makeTracesNotes } from './trace-words.ts';
import { createTargets, TargetsField } from './TargetsField.tsx';
import { useAnalysisChoice } from './analysis-choice.ts';
import { getSuggestedTargets } from './objective.ts';
import { hasTarget, describeSuccess } from './success-words.ts';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { CompareButton } from '#renderer/features/runs/CompareButton.tsx';

type Groups = Accessor<AnalysedGroups>;

/** Charts of the time to a target, which are meaningless without one. */
const targetCharts = new Set(['ecdf', 'success', 'time-to-target']);

/** Returns the possible charts of a response: without a target, the charts that need one are omitted. */
export function makeDrawableCharts(
  charts: readonly ChartEntry[],
  response: Pick<ProblemComparison, 'targetFitness'>,
): readonly ChartEntry[] {
  return hasTarget(response) ? charts : charts.filter(({ id }) => !targetCharts.has(id));
}

/** Creates the first charts of every analysis: convergence, runtime ECDF, ECDF over several targets, best fitness. */
export function createMainCharts(analysis: Groups, traces: GroupTraces): ChartEntry[] {
  return [
    makeConvergenceChart(analysis, traces),
    isAlone(analysis) ? makeBothEcdfsChart(analysis) : makeEcdfChart(analysis),
    makeTargetsEcdfChart(analysis),
    makeBestFitnessChart(analysis),
  ];
}

/** Creates the last charts of every analysis: data and performance profiles. */
export function createProfileCharts(analysis: Groups): ChartEntry[] {
  return [makeDataProfileChart(analysis), makePerformanceProfileChart(analysis)];
}

/** Creates the charts of a single experiment: success by budget, and the distributions behind its averages. */
export function createExperimentCharts(response: Accessor<ExperimentAnalysis>): ChartEntry[] {
  return [
    {
      id: 'success',
      title: 'Success by budget',
      describe: () =>
        `Share of all runs that ${describeSuccess(response())} within each of 64 budgets, with its 95 % interval`,
      figure: () => makeSuccessVsBudgetFigure(response().successVsBudget),
    },
    {
      id: 'time-to-target',
      title: 'Time to target',
      describe: () => 'Number of solved runs by evaluations needed',
      figure: () =>
        makeTimeToTargetFigure(response().timeToTargetHistogram, {
          paletteIndex: 0,
          hasTarget: hasTarget(response()),
        }),
    },
    {
      id: 'best-histogram',
      title: 'Distribution of best fitness',
      describe: () => 'Number of completed runs by best fitness',
      figure: () =>
        makeBestFitnessHistogramFigure(
          response().bestFitnessHistogram,
          response().bestFitnessValues,
          0,
        ),
    },
  ];
}

/** Data of the rank chart. */
interface RankedGroups extends RankTests {
  /** Groups without a common bar differ significantly in these pairs. */
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[];
  /** Completes "differ significantly" for two groups without a common bar. */
  claim: string;
}

/** Creates the chart of mean ranks, with bars over groups that do not differ significantly. */
export function createRanksChart(
  response: Accessor<RankedGroups>,
  look: Accessor<(algorithm: string) => GroupLook>,
): ChartEntry {
  const figure = createMemo(() =>
    makeCriticalDifferenceFigure(response().friedman, response().pairs, look()),
  );
  return {
    id: 'ranks',
    title: 'Mean ranks',
    describe: () => describeRankTests(response()),
    figure,
    notes: () => [
      ...getNotesAt(response().notes, 'ranks'),
      ...makeBarNotes(response(), (algorithm) => look()(algorithm).name),
    ],
    heightPixels: () => getRankHeight(figure()),
    isWide: () => isMany(response().friedman.ranks.length),
  };
}

/** Whether there are more groups than colours. */
function isMany(groups: number): boolean {
  return groups > paletteSize;
}

/** Returns the height in pixels at which each name of a rank diagram has its line below the bars. */
function getRankHeight({ ranks, cliques }: RankFigure): number {
  return Math.max(280, 18.5 * (4 + 0.45 * cliques.length + ranks.length / 2));
}

function isAlone(analysis: Groups): boolean {
  return analysis().groups.length === 1 && analysis().groups[0]?.bestValues !== undefined;
}

function makeConvergenceChart(analysis: Groups, traces: GroupTraces): ChartEntry {
  const { heldTarget } = useAnalysisChoice();
  // While the target is dragged, the axis and the line at the previous target stay.
  const drawnTarget = createMemo(
    (previous: number | null) =>
      heldTarget.heldValue() === undefined ? analysis().targetFitness : previous,
    analysis().targetFitness,
  );
  const groups = createMemo(() =>
    analysis().groups.map(({ convergence: points, box }) => ({ points, box })),
  );
  const choice = createAverage(groups, drawnTarget);
  const [average] = choice;
  return {
    id: 'convergence',
    title: 'Convergence',
    describe: () => `${averageWords[average()]}; finished runs carried forward`,
    figure: () =>
      makeConvergenceFigure(
        analysis().groups.map((group) => {
          const { name, paletteIndex, convergence: points, box } = group;
          const runTraces = traces.of(group);
          return { name, paletteIndex, points, box, ...(runTraces.length > 0 && { runTraces }) };
        }),
        { average: average(), targetFitness: drawnTarget() },
      ),
    notes: () => makeTracesNotes(traces.isThinned(), traces.failure()),
    controls: () => <AverageControls average={choice} traces={traces} />,
    handle: makeTargetHandle(analysis, heldTarget),
  };
}

/** Returns the target as a draggable handle; a button sets one where none is visible. */
function makeTargetHandle(analysis: Groups, heldTarget: HeldValue): Handle {
  return {
    axis: 'y',
    label: 'Target',
    value: heldTarget,
    defaultValue: () => analysis().targetFitness ?? undefined,
    text: (value) => `target ${formatFitness(value)}`,
    offer: {
      label: 'Set a target',
      // Away from the start of the curves: they rise to a target that is maximised.
      corner: untrack(() => analysis().objectiveDirection) === 'max' ? 'bottom' : 'top',
      value: () => getMiddle(getSuggestedTargets(analysis().notes)),
    },
  };
}

function getMiddle(values: readonly number[]): number | undefined {
  return values[values.length >> 1];
}

function makeBothEcdfsChart(analysis: Groups): ChartEntry {
  return {
    id: 'ecdf',
    title: 'Runtime ECDF',
    describe: () =>
      `Share of all runs, and of the solved ones, that ${describeSuccess(analysis())} within a budget`,
    figure: () =>
      makeEcdfFigure(
        analysis().groups.flatMap(({ ecdf }) => [
          { name: 'of all runs', paletteIndex: 0, points: ecdf.all },
          { name: 'of solved runs', paletteIndex: 1, points: ecdf.solved },
        ]),
        { ...makeEcdfFrame(analysis()), of: 'runs' },
      ),
  };
}

function makeEcdfChart(analysis: Groups): ChartEntry {
  const [choice] = createEcdfChoice();
  const countRuns = (group: AnalysedGroup): number =>
    choice() === 'all' ? group.totalRuns : group.successfulRuns;
  return {
    id: 'ecdf',
    title: 'Runtime ECDF',
    describe: () =>
      choice() === 'all'
        ? `Share of all runs that ${describeSuccess(analysis())} within a budget; unsolved runs included`
        : `Share of the solved runs that ${describeSuccess(analysis())} within a budget; unsolved runs excluded`,
    figure: () =>
      makeEcdfFigure(
        analysis().groups.map((group) => ({
          ...getCurve(group, group.ecdf[choice()]),
          legendNote: `n = ${formatCount(countRuns(group))}`,
        })),
        { ...makeEcdfFrame(analysis()), of: choice() === 'all' ? 'all runs' : 'solved runs' },
      ),
    controls: () => <EcdfControls />,
  };
}

function makeTargetsEcdfChart(analysis: Groups): ChartEntry {
  const [targets, setTargets] = createTargets();
  return {
    id: 'targets-ecdf',
    title: 'ECDF over targets',
    describe: () =>
      `Share of pairs of a run and one of ${describeCount(analysis().targets.length, 'target')} reached within a ` +
      'budget; × marks the median budget of unsuccessful runs',
    figure: () =>
      makeTargetsEcdfFigure(
        analysis().groups.map((group) => ({
          ...getCurve(group, group.ecdfTargets.points),
          crossAt: group.ecdfTargets.crossAt,
        })),
        getBudgets(analysis().groups.map(({ convergence }) => convergence)),
      ),
    notes: () => makeTargetsNotes(analysis()),
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

/** Returns the note on the default targets. */
function makeTargetsNotes({ targets, targetsSource }: AnalysedGroups): string[] {
  if (targetsSource === 'query' || targets.length === 0) return [];
  const values = targets.map(formatFitness).join(', ');
  return [
    `Default targets, chosen from these data (values attained at the profile levels): ${values}.`,
  ];
}

function makeEcdfFrame(analysis: AnalysedGroups) {
  return {
    budgets: getBudgets(analysis.groups.map(({ convergence }) => convergence)),
    hasTarget: hasTarget(analysis),
  };
}

function hasEveryValue({ groups }: AnalysedGroups): boolean {
  return groups.every(({ bestValues }) => bestValues && bestValues.length <= maximumDrawnValues);
}

function makeBestFitnessChart(analysis: Groups): ChartEntry {
  return {
    id: 'best',
    title: 'Best fitness',
    describe: () =>
      `Completed runs: quartiles, whiskers to 1.5 IQR, mean dashed, ${
        hasEveryValue(analysis()) ? 'every value' : 'outliers'
      } as points`,
    figure: () =>
      makeBestFitnessBoxes(
        analysis().groups.map(({ name, paletteIndex, box, bestValues }) => ({
          name,
          paletteIndex,
          box,
          ...(bestValues && { values: bestValues }),
        })),
        analysis().targetFitness,
      ),
    notes: () => [describeSampleSizes(analysis()), ...getNotesAt(analysis().notes, 'sample')],
    // Without a target it is the third of three charts, and names below boxes need its row.
    isWide: () => isMany(analysis().groups.length) && !hasTarget(analysis()),
  };
}

/** Maximum number of groups whose sample sizes are listed; for more, see the table and the tooltips. */
const mostSizesNamed = 8;

/** Describes the sample size of each box plot. */
function describeSampleSizes({ groups }: AnalysedGroups): string {
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

function makeDataProfileChart(analysis: Groups): ChartEntry {
  return {
    id: 'data-profile',
    title: 'Data profile',
    describe: () =>
      'Share of pairs of a run and an accuracy level solved within a budget (Moré & Wild)',
    figure: () =>
      makeDataProfileFigure(
        analysis().groups.map((group) => getCurve(group, group.dataProfile)),
        analysis().dataProfileUnit,
      ),
    notes: () => getNotesAt(analysis().notes, 'profiles'),
  };
}

function makePerformanceProfileChart(analysis: Groups): ChartEntry {
  const rivals = (): string =>
    isAlone(analysis) ? 'of all experiments on this instance' : 'group’s';
  return {
    id: 'performance-profile',
    title: 'Performance profile',
    describe: () =>
      `Share of accuracy levels whose ERT is within a ratio of the best ${rivals()} (Dolan & Moré)`,
    figure: () =>
      makePerformanceProfileFigure(
        analysis().groups.map((group) => getCurve(group, group.performanceProfile)),
      ),
  };
}

function getCurve({ name, paletteIndex }: GroupLook, points: readonly CurvePoint[]): ShareCurve {
  return { name, paletteIndex, points };
}

const ecdfNames = { all: 'All runs', solved: 'Solved only' } as const;

/** Runs included in an ECDF. */
type EcdfChoice = keyof typeof ecdfNames;

/** Returns the runs included in the ECDFs according to the URL, and the setter. */
function createEcdfChoice(): [Accessor<EcdfChoice>, (choice: EcdfChoice) => void] {
  return createUrlSignal('ecdf', asChoice(['all', 'solved'], 'all'));
}

/** Choice between all runs and the solved ones. */
function EcdfControls(): JSX.Element {
  const [ecdfChoice, choose] = createEcdfChoice();
  return <ChoiceButtons labels={ecdfNames} selected={ecdfChoice()} onChoose={choose} />;
}

const averageNames = {
  mean: 'Mean',
  median: 'Median',
  'median-interval': 'Median, CI',
} as const satisfies Record<Average, string>;

const averageWords: Record<Average, string> = {
  mean: 'Mean best so far with 95 % t-interval, which is too narrow for skewed values',
  median: 'Median best so far with the quartiles',
  'median-interval':
    'Median best so far with its 95 % interval at each budget (order statistics; 93.8 % for 5 runs, none for fewer)',
};

type AverageChoice = [Accessor<Average>, (average: Average) => void];

/** Returns the average in the URL, else the suitable one for the runs, and the setter. */
function createAverage(
  groups: Accessor<readonly Pick<ConvergenceGroup, 'points' | 'box'>[]>,
  targetFitness: Accessor<number | null>,
): AverageChoice {
  const [selectedAverage, setSelectedAverage] = createUrlSignal(
    'average',
    asChoice(['mean', 'median', 'median-interval'], undefined),
  );
  const defaultAverage = createMemo(() => getUsualAverage(groups(), targetFitness()));
  const average = createMemo(() => selectedAverage() ?? defaultAverage());
  const choose = (next: Average): void =>
    setSelectedAverage(next === defaultAverage() ? undefined : next);
  return [average, choose];
}

/** Choice of the average and its band, and of the single runs behind it, with a button that compares them. */
function AverageControls(props: { average: AverageChoice; traces: GroupTraces }): JSX.Element {
  return (
    <>
      <ChoiceButtons
        labels={averageNames}
        selected={props.average[0]()}
        onChoose={props.average[1]}
      />
      <Button
        size="small"
        pressed={props.traces.isShown()}
        disabledReason={props.traces.refusal()}
        title="Show individual runs behind the average"
        aria-busy={props.traces.isLoading()}
        onClick={() => props.traces.show(!props.traces.isShown())}
      >
        Runs
      </Button>
      <Show when={props.traces.isShown() && props.traces.runIds().length > 0}>
        <CompareButton size="small" which="drawn" runIds={props.traces.runIds()} />
      </Show>
    </>
  );
}
