import { formatGroupTitle } from './group-metrics.ts';

/** The name of an optimizer, and whether a user marked its algorithm as the baseline. */
interface OptimizerTitle {
  label: string;
  isBaseline: boolean;
}

/** The fields of the annotation of an algorithm that determine its title. */
interface NamedAlgorithm {
  id: string;
  displayName: string | null;
  isBaseline: boolean;
}

/**
 * Returns a function from the stored name of an optimizer to its displayed name, followed by "(baseline)" for the
 * baseline; see {@link makeOptimizerTitleGetter}.
 */
export function makeOptimizerNameGetter(
  algorithms: readonly NamedAlgorithm[],
  optimizers: readonly string[],
): (optimizer: string) => string {
  const getTitle = makeOptimizerTitleGetter(algorithms, optimizers);
  return (optimizer) => formatGroupTitle(getTitle(optimizer));
}

/**
 * Returns a function from the stored name of an optimizer to its title. The label is the display name of the algorithm
 * with this name, or the stored name if there is no display name. The stored name follows a display name in parentheses
 * if several algorithms have this display name, or if the label would be equal to that of an optimizer without a
 * display name. `optimizers` are the stored names that a page or table shows together. A name such as "DE (run 2)", as
 * in a comparison of campaigns, retains its suffix.
 */
export function makeOptimizerTitleGetter(
  algorithms: readonly NamedAlgorithm[],
  optimizers: readonly string[],
): (optimizer: string) => OptimizerTitle {
  const algorithmsById = new Map(algorithms.map((algorithm) => [algorithm.id, algorithm]));
  const algorithmsByName = Map.groupBy(algorithms, ({ displayName }) => displayName);
  const findAlgorithm = (optimizer: string) => {
    // Names of algorithms and campaigns may contain parentheses, so the longest name of an algorithm counts.
    const suffixes = optimizer.endsWith(')') ? [...optimizer.matchAll(/ \(/g)].toReversed() : [];
    const ends = [optimizer.length, ...suffixes.map(({ index }) => index)];
    const end = ends.find((index) => algorithmsById.has(optimizer.slice(0, index)));
    return { algorithm: algorithmsById.get(optimizer.slice(0, end)), suffix: optimizer.slice(end) };
  };
  const ownLabels = new Set(
    optimizers.filter((name) => (findAlgorithm(name).algorithm?.displayName ?? null) === null),
  );
  return (optimizer) => {
    const { algorithm, suffix } = findAlgorithm(optimizer);
    const { id, displayName = null, isBaseline = false } = algorithm ?? {};
    if (displayName === null) return { label: optimizer, isBaseline };
    const label = `${displayName}${suffix}`;
    const isUnique = algorithmsByName.get(displayName)?.length === 1 && !ownLabels.has(label);
    return { label: isUnique ? label : `${displayName} (${id})${suffix}`, isBaseline };
  };
}
