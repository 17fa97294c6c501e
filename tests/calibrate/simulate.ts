import type { AnalysedExperiment, AnalysedRun, Objective } from '#server/analysis/model.ts';
import { getStatedObjective } from '#server/domain/objective.ts';
import { compareProblem } from '#server/analysis/comparison.ts';
import { selectScope } from '#server/analysis/scope.ts';
import { getConfiguredBudget } from '#server/domain/objective.ts';
import { getConfigurationId, getProblemInstance } from '#server/domain/problem-instance.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { getTrace } from '#server/domain/trace.ts';
import { shownIntervals, type ShownInterval } from './coverage.ts';
import { landscapes, populationSize, type Landscape } from './landscapes.ts';
import type { SimulatedRun, Situation, Size } from './situations.ts';

/** What the pages would show for one simulated problem. */
export interface ProblemOutcome {
  /** A pair of groups was tested. */
  isTested: boolean;
  /** Any of the ways in which the pages claim a difference, of those that the situation counts. */
  isClaimed: boolean;
  /** An adjusted p-value of at most 0.05, also where a RUNNING run withholds the claim. */
  isBelowLevel: boolean;
  /** Intervals that the pages show, where the situation counts them. */
  intervals: ShownInterval[];
}

/** Simulates problem number `index` of a situation; landscapes take turns. The same arguments give the same outcome. */
export function simulateProblem(situation: Situation, size: Size, index: number): ProblemOutcome {
  const choices = situation.landscapes ?? landscapes;
  const landscape = choices[index % choices.length] ?? choices[0];
  if (!landscape) throw new Error('A situation needs a landscape.');
  const random = createSeededRandom(JSON.stringify([situation.name, size, index]));
  const outcomes = situation
    .draw(random, landscape, size)
    .map((runs) => getOutcome(runs, landscape, situation));
  return {
    isTested: outcomes.some(({ isTested }) => isTested),
    isClaimed: outcomes.some(({ isClaimed }) => isClaimed),
    isBelowLevel: outcomes.some(({ isBelowLevel }) => isBelowLevel),
    intervals: outcomes.flatMap(({ intervals }) => intervals),
  };
}

const groupNames = ['a', 'b', 'c', 'd', 'e'];

function getOutcome(
  runs: readonly SimulatedRun[],
  landscape: Landscape,
  { counts = () => true, hasIntervals = false }: Situation,
): ProblemOutcome {
  const { comparison, groups } = compareRuns(runs, landscape);
  const { pairwise, verdict, algorithms } = comparison;
  const isCounted = (measure: string | null, better: string | null) =>
    counts(measure ?? '', groupNames.indexOf(better ?? ''));
  const pairs = Object.entries(pairwise).flatMap(([measure, ofMeasure]) =>
    (ofMeasure ?? []).map((pair) => ({ ...pair, measure })),
  );
  const counted = pairs.filter(({ measure, better }) => isCounted(measure, better));
  return {
    isTested: pairs.some(({ pValue }) => pValue !== null),
    isClaimed:
      counted.some(({ significant }) => significant) ||
      verdict.some(({ kind, measure, a }) => kind === 'claim' && isCounted(measure, a)) ||
      algorithms.some(({ algorithm, bestOn }) =>
        bestOn.some((measure) => isCounted(measure, algorithm)),
      ),
    isBelowLevel: counted.some(({ adjustedPValue }) => (adjustedPValue ?? 1) <= 0.05),
    intervals:
      hasIntervals && groups.length === 2 ? shownIntervals(comparison, groups, landscape) : [],
  };
}

/** The comparison in responses of the endpoints, of runs as the runner would have stored them. */
function compareRuns(runs: readonly SimulatedRun[], landscape: Landscape) {
  const experiments = new Map<string, AnalysedExperiment>();
  const analysed = runs.map((run): AnalysedRun => {
    const experiment = getExperiment(run, landscape);
    experiments.set(experiment.experimentId, experiment);
    return analysedRun(run, experiment.experimentId);
  });
  const scope = selectScope({
    problemType: 'sphere',
    experiments: [...experiments.values()],
    runs: analysed,
    algorithms: [],
  });
  if (!scope) throw new Error('No runs were simulated.');
  const objective: Objective = {
    direction: 'min',
    directionSource: 'problem',
    targetFitness: landscape.target,
    targetSource: landscape.target === null ? 'none' : 'config',
  };
  const comparison = compareProblem({
    scope: { ...scope, runs: analysed },
    groupBy: 'algorithm',
    objective,
    directions: new Map(scope.instances.map(({ id }) => [id, 'min'])),
    choice: { failed: 'include', stopped: 'include', silent: 'running', effect: '0.71' },
    silentIds: new Set(),
  });
  const groups = Map.groupBy(analysed, ({ experimentId }) => experimentId);
  return { comparison, groups: Array.from(groups, ([name, own]) => ({ name, runs: own })) };
}

function getExperiment(
  { group, configuration, granted }: SimulatedRun,
  { target, stopsAtTarget }: Landscape,
): AnalysedExperiment {
  const algorithmType = groupNames[group] ?? '';
  const experimentId = `${algorithmType}-${configuration}`;
  const configJson = JSON.stringify({
    problem: { type: 'sphere', params: {} },
    algorithm: { type: algorithmType, params: { level: configuration } },
    stopping: {
      type: 'max-evaluations',
      maxEvaluations: granted,
      ...(target !== null && stopsAtTarget ? { targetFitness: target } : {}),
    },
  });
  return {
    experimentId,
    problemType: 'sphere',
    runName: null,
    algorithmType,
    modelType: '',
    configJson,
    instance: getProblemInstance(configJson),
    configurationId: getConfigurationId(configJson),
    budget: getConfiguredBudget(JSON.parse(configJson)),
    ...getStatedObjective(configJson),
  };
}

function analysedRun(run: SimulatedRun, experimentId: string): AnalysedRun {
  const { status, start, course, hasFinalValueOnly = false } = run;
  const evaluations = course.length * populationSize;
  const rowCount = hasFinalValueOnly ? 0 : course.length;
  const points = Float64Array.from({ length: 2 * rowCount }, (_, index) =>
    index % 2 === 0 ? (index / 2 + 1) * populationSize : (course[(index - 1) / 2] ?? NaN),
  );
  const isRunning = status === 'RUNNING';
  return {
    runId: `run-${String(start).padStart(4, '0')}`,
    experimentId,
    seed: start,
    status,
    startTime: new Date(Date.UTC(2026, 0, 1) + start * 1000).toISOString(),
    trialBudget: null,
    evaluations: isRunning ? null : evaluations,
    bestFitness: isRunning || status === 'FAILED' ? null : (course.at(-1) ?? null),
    runtimeMillis: null,
    isResumed: false,
    hasMlflowSteps: false,
    newestIteration: hasFinalValueOnly ? null : course.length - 1,
    version: '',
    lineage: null,
    trace: getTrace(points, 'min'),
  };
}
