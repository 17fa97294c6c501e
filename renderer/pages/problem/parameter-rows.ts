import type {
  ExperimentResult,
  InstanceParameters,
  ParameterValue,
  VaryingParameter,
} from '#shared/schemas/analysis-parameters.ts';
import { formatFitness, formatPValue, formatShare } from '#shared/number-format.ts';
import { getExperimentPath, getExperimentsPath } from '#renderer/paths.ts';

/** A value of a parameter, and its link. */
export interface ParameterRow extends ParameterValue {
  path: string;
  /** The only experiment with it, or the list of them; undefined where no filter of the list selects them. */
  href: string | undefined;
}

/** Returns all values of all parameters, in the order of the response; `algorithms` are the requested ones. */
export function makeParameterRows(
  { parameters, conditions, problemType }: InstanceParameters,
  algorithms: readonly string[],
): ParameterRow[] {
  const getHref = ({ condition, experimentIds }: ParameterValue): string | undefined => {
    const [only] = experimentIds;
    if (only !== undefined && experimentIds.length === 1) return getExperimentPath(only);
    if (condition === null || conditions === null) return undefined;
    return getExperimentsPath(problemType, { algorithm: algorithms }, [...conditions, condition]);
  };
  return parameters.flatMap(({ path, values }) =>
    values.map((value) => ({ ...value, path, href: getHref(value) })),
  );
}

/**
 * Returns the algorithms of the experiments, that of the best result first: by ERT, then by median best fitness. A
 * missing value is the worst.
 */
export function getAlgorithmsByResult({
  experimentResults,
  objectiveDirection,
  targetFitness,
}: Pick<
  InstanceParameters,
  'experimentResults' | 'objectiveDirection' | 'targetFitness'
>): string[] {
  const sign = objectiveDirection === 'min' ? 1 : -1;
  const compare = (a: ExperimentResult, b: ExperimentResult): number => {
    const [ertA, ertB] = [a, b].map(({ ert }) => (targetFitness === null ? 0 : (ert ?? Infinity)));
    const [fitnessA, fitnessB] = [a, b].map(({ medianBest }) =>
      medianBest === null ? Infinity : sign * medianBest,
    );
    return compareNumbers(ertA, ertB) || compareNumbers(fitnessA, fitnessB);
  };
  return [...new Set(experimentResults.toSorted(compare).map(({ algorithm }) => algorithm))];
}

/** Compares two numbers. Equal infinities are equal, because their difference is NaN. */
function compareNumbers(a = 0, b = 0): number {
  return a === b ? 0 : a - b;
}

/** Returns why a parameter has no rank correlation; null where it has one. */
export function getMissingCorrelation({
  isNumeric,
  spearman,
  values,
}: VaryingParameter): string | null {
  if (spearman) return null;
  if (!isNumeric) return '– (categorical)';
  const measured = values.filter(({ value, n }) => value !== null && n > 0);
  return measured.length < 4 ? '– (too few values)' : 'equal medians';
}

/**
 * Returns a sentence on the parameters whose correlation cannot be significant, because no order of their values gives
 * a p-value of at most 0.05; empty without one.
 */
export function describeUnattainableSignificance(
  parameters: readonly VaryingParameter[],
): string[] {
  const few = parameters.flatMap(({ path, spearman }) =>
    spearman && spearman.attainablePValue > 0.05
      ? [`${path} (p ≥ ${formatPValue(spearman.attainablePValue)})`]
      : [],
  );
  if (few.length === 0) return [];
  return [
    `Too few different values or medians for a significant correlation (0.05): ${few.join(', ')}.`,
  ];
}

/** Returns the range of the median best fitness over a parameter's values; "–" without any. */
export function getMedianRange({ values }: VaryingParameter): string {
  return formatRange(
    values.flatMap(({ medianBest }) => medianBest ?? []),
    formatFitness,
  );
}

/** Returns the range of the success rate over a parameter's values. */
export function getSuccessRange({ values }: VaryingParameter): string {
  return formatRange(
    values.map(({ successRate }) => successRate),
    formatShare,
  );
}

function formatRange(
  numbers: readonly number[],
  format: (value: number | null | undefined) => string,
): string {
  const ends = [Math.min(...numbers), Math.max(...numbers)].map(format);
  if (numbers.length === 0) return format(null);
  return ends[0] === ends[1] ? (ends[0] ?? '') : ends.join(' … ');
}
