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
  answer: ProblemComparison,
  look: (algorithm: string) => GroupLook,
): AnalysedGroups {
  const groups = answer.algorithms.map((group) => ({
    ...look(group.algorithm),
    experimentIds: group.experimentIds,
    totalRuns: group.totalRuns,
    successfulRuns: group.successfulRuns,
    convergence: getPoints(answer.convergence, group.algorithm),
    ecdf: {
      all: getPoints(answer.ecdfTotalRuns, group.algorithm),
      solved: getPoints(answer.ecdfSuccessfulRuns, group.algorithm),
    },
    ecdfTargets: answer.ecdfTargets.find(({ name }) => name === group.algorithm) ?? noSteps,
    dataProfile: getPoints(answer.dataProfiles, group.algorithm),
    performanceProfile: getPoints(answer.performanceProfiles, group.algorithm),
    box: group.box,
  }));
  return { groups, ...getFrame(answer) };
}

/** Returns the values shared by all groups. */
function getFrame(answer: Omit<AnalysedGroups, 'groups'>): Omit<AnalysedGroups, 'groups'> {
  const { objectiveDirection, targetFitness, targets, targetsSource, dataProfileUnit, notes } =
    answer;
  return { objectiveDirection, targetFitness, targets, targetsSource, dataProfileUnit, notes };
}

function getPoints<Point>(
  curves: readonly { name: string; points: readonly Point[] }[],
  name: string,
): readonly Point[] {
  return curves.find((curve) => curve.name === name)?.points ?? [];
}

/** Returns an experiment as its only group, called `name`. */
export function groupOfExperiment(answer: ExperimentAnalysis, name: string): AnalysedGroups {
  const group: AnalysedGroup = {
    name,
    paletteIndex: 0,
    experimentIds: [answer.experimentId],
    totalRuns: answer.totalRuns,
    successfulRuns: answer.successfulRuns,
    convergence: answer.convergence95Ci,
    ecdf: { all: answer.ecdfTotalRuns, solved: answer.ecdfSuccessfulRuns },
    ecdfTargets: answer.ecdfTargets[0] ?? noSteps,
    dataProfile: answer.dataProfile,
    performanceProfile: answer.performanceProfile,
    box: answer.bestFitnessBox,
    bestValues: answer.bestFitnessValues,
  };
  return { groups: [group], ...getFrame(answer) };
}
