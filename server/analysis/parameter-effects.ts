import { median } from '#server/stats/quantile.ts';
import { spearman } from '#server/stats/spearman.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { note } from './notes.ts';
import {
  completedBestFitness,
  medianOf,
  outcomesOf,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import { conditionOf, type Parameters } from './parameter-conditions.ts';

/** The parameters of each experiment by its id. */
export type ParametersById = ReadonlyMap<string, Parameters>;

/** The paths at which not all experiments have the same, by code point. */
export function varyingPaths(parameters: ParametersById): string[] {
  const all = [...parameters.values()];
  const paths = new Set(all.flatMap((own) => [...own.keys()]));
  return [...paths].filter((path) => new Set(all.map((own) => own.get(path))).size > 1).sort();
}

/**
 * How the runs with each value at this path did, numbers first and in their order, those without it last; and the rank
 * correlation of number and median best fitness, infinite ones included, where every experiment that has it has a number.
 */
export function describeParameter(
  path: string,
  objective: Objective,
  parameters: ParametersById,
  runs: readonly AnalysedRun[],
): VaryingParameter {
  const valueOf = (experimentId: string) => parameters.get(experimentId)?.get(path) ?? null;
  const idsByValue = Map.groupBy(parameters.keys(), valueOf);
  const runsByValue = Map.groupBy(runs, ({ experimentId }) => valueOf(experimentId));
  const entries = [...idsByValue].sort(([a], [b]) => byNumberThenText(a, b));
  const medians = entries.map(([value]) =>
    median(completedBestFitness(runsByValue.get(value) ?? [])),
  );
  const values = entries.map(([value, experimentIds]) => {
    const own = runsByValue.get(value) ?? [];
    return {
      value,
      condition: conditionOf(path, value),
      experiments: experimentIds.length,
      experimentIds: experimentIds.toSorted(),
      ...medianOf(own),
      ...summariseSuccess(own, outcomesOf(own, objective)),
    };
  });
  const names = entries.map(([value]) => value);
  const isNumeric = names.every((value) => value === null || isNumber(value));
  return { path, isNumeric, values, spearman: isNumeric ? correlation(names, medians) : null };
}

function correlation(
  names: readonly (string | null)[],
  medians: readonly (number | null)[],
): VaryingParameter['spearman'] {
  const pairs = names.flatMap((name, index): [number, number][] => {
    const known = medians[index] ?? null;
    return name === null || known === null ? [] : [[Number(name), known]];
  });
  return spearman(
    pairs.map(([value]) => value),
    pairs.map(([, known]) => known),
  );
}

function isNumber(value: string | null): boolean {
  return value !== null && value.trim() !== '' && Number.isFinite(Number(value));
}

function byNumberThenText(a: string | null, b: string | null): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : 1;
}

/** Parameters that split the experiments alike: what the one does cannot be told from what the other does. */
export function confoundedNotes(
  paths: readonly string[],
  parameters: ParametersById,
): AnalysisNote[] {
  const all = [...parameters.values()];
  const together = Map.groupBy(paths, (path) => {
    const values = all.map((own) => own.get(path));
    return values.map((value) => values.indexOf(value)).join();
  });
  return [...together.values()]
    .filter((alike) => alike.length > 1)
    .map((alike) => note('PARAMETERS_VARY_TOGETHER', alike));
}
