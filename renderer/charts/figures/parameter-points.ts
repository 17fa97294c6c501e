import { getRuntime } from '#shared/group-metrics.ts';
import { describeCount } from '#shared/number-format.ts';
import type { ExperimentResult, VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import { isValue, type Cell, type GroupPoint, type PointsFigure } from '#renderer/charts/figure.ts';

/** Look of an algorithm: its displayed name, and its place in the palette. */
interface AlgorithmLook {
  name: string;
  paletteIndex: number;
}

/** The context of the points of parameters. */
export interface PointContext {
  experiments: readonly ExperimentResult[];
  hasTarget: boolean;
  /** Returns the look of the group of an experiment. */
  getLook: (algorithm: string) => AlgorithmLook;
  /** Returns the address of the page of an experiment. */
  getHref: (experimentId: string) => string;
}

/** Returns the displayed value of a parameter; in words if it is null, because the experiment lacks it, or blank. */
export function getValueName(value: string | null): string {
  if (value === null) return 'not set';
  return value === '' ? '(empty)' : value;
}

type Parameter = Pick<VaryingParameter, 'path' | 'isNumeric' | 'values'>;

/** The result of one experiment with its value of a parameter. */
interface Result {
  experiment: ExperimentResult;
  /** Index among the values of the parameter. */
  index: number;
  value: string | null;
  y: Cell;
}

/** Fewest numbers with a numeric axis; fewer are names next to each other, as experiments without the parameter are. */
const fewestNumbers = 3;

/**
 * Returns a figure with one point per experiment, by its value of a parameter: the ERT of its runs, infinite if none of
 * them reached the target, or the median best fitness of its completed runs without a target. The axis is numeric if
 * all values are numbers and at least three differ. Only such an axis has no place for experiments without the
 * parameter.
 */
export function makeParameterPoints(
  parameter: Parameter,
  { getLook, getHref, ...context }: PointContext,
): PointsFigure {
  const isNumeric = hasNumericAxis(parameter);
  const results = getResults(parameter, context).filter(
    ({ value }) => !isNumeric || value !== null,
  );
  const { hasTarget } = context;
  const groups = Map.groupBy(results, ({ experiment }) => experiment.algorithm);
  const makePoint = ({ experiment, index, value, y }: Result): GroupPoint => ({
    name: experiment.label,
    x: isNumeric ? Number(value) : index,
    y,
    counts: hasTarget ? [experiment.totalRuns, experiment.successfulRuns] : [experiment.n],
    href: getHref(experiment.experimentId),
  });
  return {
    kind: 'points',
    x: {
      title: parameter.path,
      ...(!isNumeric && { categories: parameter.values.map(({ value }) => getValueName(value)) }),
    },
    y: hasTarget
      ? { title: 'ERT', unit: 'evaluations' }
      : { title: 'median best fitness', reachesZero: true },
    nouns: { group: 'algorithm', point: 'experiment' },
    counts: hasTarget ? ['n', 'successful runs'] : ['n'],
    groups: Array.from(groups, ([algorithm, own]) => ({
      ...getLook(algorithm),
      points: own.map(makePoint),
    })).sort((one, other) => one.paletteIndex - other.paletteIndex),
    empty: getEmptyWords(results, hasTarget),
  };
}

/**
 * Returns sentences about the experiments that have no point in {@link makeParameterPoints}, and about infinite ERTs,
 * which have no points either if no ERT is finite; empty if each experiment has a point with a number.
 */
export function getPointNotes(
  parameter: Parameter,
  context: Pick<PointContext, 'experiments' | 'hasTarget'>,
): string[] {
  const { hasTarget } = context;
  const isNumeric = hasNumericAxis(parameter);
  const [unset = [], others = []] = [true, false].map((isUnset) =>
    getResults(parameter, context).filter(({ value }) => (isNumeric && value === null) === isUnset),
  );
  const isEmpty = !others.some(({ y }) => isValue(y));
  const infinite = isEmpty ? [] : others.filter(({ y }) => y === Infinity);
  const missing = others.filter(({ y }) => y === null);
  const describe = (results: readonly Result[], words: string): string[] =>
    results.length > 0 ? [`${describeCount(results.length, 'experiment')} ${words}`] : [];
  return [
    ...describe(infinite, 'without a successful run: infinite ERT, at the upper edge.'),
    ...describe(unset, 'without this parameter: omitted.'),
    ...describe(
      missing,
      hasTarget
        ? 'without runs, or with unknown evaluations of the successful runs: omitted.'
        : 'without a finite median best fitness: omitted.',
    ),
  ];
}

function hasNumericAxis({ isNumeric, values }: Parameter): boolean {
  return isNumeric && values.filter(({ value }) => value !== null).length >= fewestNumbers;
}

/** Returns the results in the order of the values, those of one value in the order of the experiments. */
function getResults(
  { values }: Parameter,
  { experiments, hasTarget }: Pick<PointContext, 'experiments' | 'hasTarget'>,
): Result[] {
  const experimentsById = new Map(
    experiments.map((experiment) => [experiment.experimentId, experiment]),
  );
  return values.flatMap(({ value, experimentIds }, index) =>
    experimentIds.flatMap((id): Result[] => {
      const experiment = experimentsById.get(id);
      if (!experiment) return [];
      const y = hasTarget ? getRuntime(experiment, experiment.ert) : experiment.medianBest;
      return [{ experiment, index, value, y }];
    }),
  );
}

function getEmptyWords(results: readonly Result[], hasTarget: boolean): string {
  if (results.every(({ experiment }) => experiment.totalRuns === 0)) {
    return 'No experiment with this parameter has runs.';
  }
  return hasTarget
    ? 'No run with any of these values reached the target.'
    : 'No run with any of these values has been completed with a best fitness.';
}
