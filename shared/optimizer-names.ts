import { formatGroupTitle } from './group-metrics.ts';

/** The name of an optimizer, and whether a user marked its algorithm as the baseline. */
interface OptimizerTitle {
  label: string;
  isBaseline: boolean;
}

/** The part of an annotation that names an algorithm. */
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
): (optimizer: string) => string {
  const getTitle = makeOptimizerTitleGetter(algorithms);
  return (optimizer) => formatGroupTitle(getTitle(optimizer));
}

/**
 * Returns a function from the stored name of an optimizer to its title. The label is the display name of the algorithm
 * with this name, else the stored name. If several algorithms have the same display name, the stored name follows in
 * parentheses. An optimizer named "DE (run 2)", as in a comparison of campaigns, retains its suffix. A name without an
 * annotated algorithm is its own label.
 */
export function makeOptimizerTitleGetter(
  algorithms: readonly NamedAlgorithm[],
): (optimizer: string) => OptimizerTitle {
  const algorithmsByName = Map.groupBy(algorithms, ({ displayName }) => displayName);
  const titles = new Map(
    algorithms.map(({ id, displayName, isBaseline }) => {
      const isUnique = displayName === null || algorithmsByName.get(displayName)?.length === 1;
      return [id, { label: isUnique ? (displayName ?? id) : `${displayName} (${id})`, isBaseline }];
    }),
  );
  return (optimizer) => {
    const title = titles.get(optimizer);
    if (title) return title;
    // Names of algorithms and campaigns may contain parentheses: the longest known name counts.
    const suffixes = optimizer.endsWith(')') ? [...optimizer.matchAll(/ \(/g)].toReversed() : [];
    for (const { index } of suffixes) {
      const namedTitle = titles.get(optimizer.slice(0, index));
      if (namedTitle)
        return { ...namedTitle, label: `${namedTitle.label}${optimizer.slice(index)}` };
    }
    return { label: optimizer, isBaseline: false };
  };
}
