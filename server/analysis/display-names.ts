import type { Annotations } from '#server/records/annotations.ts';
import type { Pairwise } from '#shared/schemas/analysis-measures.ts';
import type { Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';
import { groupings, measures } from '#shared/words.ts';
import { groupNameOf, labelOf } from './groups.ts';
import type { AnalysedExperiment, ShownGroup } from './model.ts';

/**
 * Returns the experiments with what users named the groups that they belong to. If several groups would have the same
 * label, those that a user named so also show their stored label.
 */
export function withDisplayNames(
  experiments: readonly AnalysedExperiment[],
  annotations: Annotations,
): AnalysedExperiment[] {
  const shown = groupings.map((groupBy) => shownGroups(experiments, groupBy, annotations));
  return experiments.map((experiment) => {
    const own = groupings.flatMap((groupBy, index) => {
      const group = shown[index]?.get(groupNameOf(experiment, groupBy));
      return group === undefined ? [] : [[groupBy, group] as const];
    });
    return own.length === 0 ? experiment : { ...experiment, shown: Object.fromEntries(own) };
  });
}

/** Returns the groups with a name or a mark of a user, by their names. */
function shownGroups(
  experiments: readonly AnalysedExperiment[],
  groupBy: Grouping,
  annotations: Annotations,
): Map<string, ShownGroup> {
  const kind = groupBy === 'experiment' ? 'experiment' : 'algorithm';
  const byName = new Map(experiments.map((one) => [groupNameOf(one, groupBy), one]));
  const groups = Array.from(byName, ([name, experiment]) => {
    const { displayName = null, isBaseline = false } = annotations.get(kind, name) ?? {};
    return {
      name,
      isBaseline,
      stored: labelOf(name, experiment, groupBy),
      given: displayName ?? nameByAlgorithm(experiment, groupBy, annotations),
    };
  });
  const labels = groups.map(({ given, stored }) => given ?? stored);
  const found = groups.flatMap(({ name, stored, given, isBaseline }) => {
    if (given === null && !isBaseline) return [];
    const label = given ?? stored;
    const isUnique = labels.filter((other) => other === label).length === 1;
    const shown = isUnique || given === null ? label : `${label} (${stored})`;
    return [[name, { label: shown, isBaseline }] as const];
  });
  return new Map(found);
}

/** A configuration without its own name is called by the name of its algorithm. */
function nameByAlgorithm(
  experiment: AnalysedExperiment,
  groupBy: Grouping,
  annotations: Annotations,
): string | null {
  if (groupBy !== 'configuration') return null;
  const named = annotations.get('algorithm', experiment.algorithmType)?.displayName ?? null;
  return named && labelOf(experiment.configurationId, experiment, groupBy, named);
}

type Named = Pick<ProblemComparison, 'algorithms' | 'pairwise' | 'guard' | 'friedman'>;

/**
 * Returns a comparison with the labels of the groups in its pairs and ranks, and with the pairs of the baseline before
 * the others.
 */
export function withGroupLabels<Comparison extends Named>(comparison: Comparison): Comparison {
  const { algorithms, pairwise, guard, friedman } = comparison;
  const labels = new Map(algorithms.map(({ algorithm, label }) => [algorithm, label]));
  const baseline = algorithms.find(({ isBaseline }) => isBaseline)?.algorithm;
  const baselineFirst = <Pair extends { a: string; b: string }>(pairs: readonly Pair[]) => {
    const isOfBaseline = ({ a, b }: Pair) => a === baseline || b === baseline;
    return [...pairs].sort((one, other) => Number(isOfBaseline(other)) - Number(isOfBaseline(one)));
  };
  const labelled: Partial<Record<keyof Pairwise, unknown>> = {};
  for (const measure of measures) {
    const pairs = pairwise[measure];
    labelled[measure] =
      pairs &&
      baselineFirst(pairs).map((pair) => ({
        ...pair,
        labelA: labels.get(pair.a),
        labelB: labels.get(pair.b),
      }));
  }
  return {
    ...comparison,
    pairwise: labelled as Pairwise,
    guard: { ...guard, pairs: baselineFirst(guard.pairs) },
    friedman: {
      ...friedman,
      ranks: friedman.ranks.map((rank) => ({ ...rank, label: labels.get(rank.algorithm) })),
    },
  };
}
