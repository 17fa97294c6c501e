import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  Box,
  ConvergencePoint,
  CurvePoint,
  DataProfileUnit,
  ExperimentAnalysis,
  ProblemComparison,
  SeveralTargets,
} from '#shared/schemas/analysis.ts';
import type { GroupLook } from './group-looks.ts';

type EcdfTargets = SeveralTargets['ecdfTargets'][number];

const noSteps = { points: [], crossAt: null };

/** A group of runs for the charts. */
export interface AnalysedGroup extends GroupLook {
  experimentIds: readonly string[];
  totalRuns: number;
  successfulRuns: number;
  convergence: readonly ConvergencePoint[];
  ecdf: Readonly<Record<'all' | 'solved', readonly CurvePoint[]>>;
  /** Over several targets. */
  ecdfTargets: Pick<EcdfTargets, 'points' | 'crossAt'>;
  dataProfile: readonly CurvePoint[];
  performanceProfile: readonly CurvePoint[];
  box: Box;
  /** All values of the box plot; absent where only the outliers are known. */
  bestValues?: readonly number[];
}

/** Groups of runs on one problem instance. A single experiment is a comparison of one group. */
export interface AnalysedGroups {
  groups: readonly AnalysedGroup[];
  objectiveDirection: 'min' | 'max';
  targetFitness: number | null;
  /** Targets of the ECDFs over several targets, and whether they were requested. */
  targets: readonly number[];
  targetsSource: SeveralTargets['targetsSource'];
  dataProfileUnit: DataProfileUnit;
  notes: readonly AnalysisNote[];
}

/** Returns the groups of a comparison, in its order. A group without a curve gets an empty one. */
export function getGroupsOfComparison(
  response: ProblemComparison,
  look: (algorithm: string) => GroupLook,
): AnalysedGroups {
  const groups = response.algorithms.map((group) => ({
    ...look(group.algorithm),
    experimentIds: group.experimentIds,
    totalRuns: group.totalRuns,
    successfulRuns: group.successfulRuns,
    convergence: getPoints(response.convergence, group.algorithm),
    ecdf: {
      all: getPoints(response.ecdfTotalRuns, group.algorithm),
      solved: getPoints(response.ecdfSuccessfulRuns, group.algorithm),
    },
    ecdfTargets: response.ecdfTargets.find(({ name }) => name === group.algorithm) ?? noSteps,
    dataProfile: getPoints(response.dataProfiles, group.algorithm),
    performanceProfile: getPoints(response.performanceProfiles, group.algorithm),
    box: group.box,
  }));
  return { groups, ...getFrame(response) };
}

/** Returns the values shared by all groups. */
function getFrame(response: Omit<AnalysedGroups, 'groups'>): Omit<AnalysedGroups, 'groups'> {
  const { objectiveDirection, targetFitness, targets, targetsSource, dataProfileUnit, notes } =
    response;
  return { objectiveDirection, targetFitness, targets, targetsSource, dataProfileUnit, notes };
}

function getPoints<Point>(
  curves: readonly { name: string; points: readonly Point[] }[],
  name: string,
): readonly Point[] {
  return curves.find((curve) => curve.name === name)?.points ?? [];
}

/** Returns an experiment as its only group, called `name`. */
export function getGroupOfExperiment(response: ExperimentAnalysis, name: string): AnalysedGroups {
  const group: AnalysedGroup = {
    name,
    paletteIndex: 0,
    experimentIds: [response.experimentId],
    totalRuns: response.totalRuns,
    successfulRuns: response.successfulRuns,
    convergence: response.convergence95Ci,
    ecdf: { all: response.ecdfTotalRuns, solved: response.ecdfSuccessfulRuns },
    ecdfTargets: response.ecdfTargets[0] ?? noSteps,
    dataProfile: response.dataProfile,
    performanceProfile: response.performanceProfile,
    box: response.bestFitnessBox,
    bestValues: response.bestFitnessValues,
  };
  return { groups: [group], ...getFrame(response) };
}
