import { mean, presentValues } from '#server/stats/descriptive.ts';
import { median } from '#server/stats/quantile.ts';
import { expectedRuntime, successRate } from '#server/stats/runtime.ts';
import type { CellMeasure } from '#shared/schemas/analysis-across.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { GroupResult, InstanceResults } from './across-table.ts';
import type { JudgedGroup } from './groups.ts';
import { isFailed } from './outcomes.ts';
import { anytimeSamples, runtimesOf, successesOf, type TimedGroup } from './measures.ts';

const nothing: GroupResult = { n: 0, value: null, tested: [] };

/** What a cell's value is out of a sample of final fitness: null without values, and between opposite infinities. */
export function fitnessResult(measure: 'median' | 'mean', sample: readonly number[]): GroupResult {
  const middle = measure === 'median' ? median(sample) : mean(sample);
  const [value] = presentValues([middle]);
  return value === undefined ? nothing : { n: sample.length, value, tested: sample };
}

/** The result of a group whose runs all failed: worse than any fitness. It has the instance, and loses there. */
function failureResult(n: number, direction: ObjectiveDirection): GroupResult {
  return { n, value: direction === 'min' ? Infinity : -Infinity, tested: [] };
}

/** The ERT of a group, infinite without a success; tested by its runtimes. */
export function ertResult(group: TimedGroup): GroupResult {
  if (group.runs.length === 0) return nothing;
  const value = expectedRuntime(group.outcomes) ?? Infinity;
  return { n: group.runs.length, value, tested: runtimesOf(group).sample };
}

/** The success rate of a group, tested by its counts. */
export function successResult(group: TimedGroup): GroupResult {
  if (group.runs.length === 0) return nothing;
  const { solved, trials } = successesOf(group);
  return { n: group.runs.length, value: successRate(group.outcomes), tested: { solved, trials } };
}

/** The results of all groups on one instance; those of `names` that have no runs there lack it. */
export function instanceResults(
  measure: CellMeasure,
  instance: string,
  names: readonly string[],
  groups: readonly JudgedGroup[],
  direction: ObjectiveDirection,
): InstanceResults {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const ofAll = (resultOf: (group: JudgedGroup) => GroupResult) =>
    names.map((name) => {
      const group = byName.get(name);
      return group ? resultOf(group) : nothing;
    });
  if (measure === 'ert') {
    return { instance, direction: 'min', worst: Infinity, results: ofAll(ertResult) };
  }
  if (measure === 'success') {
    return { instance, direction: 'max', worst: 0, results: ofAll(successResult) };
  }
  if (measure === 'anytime') {
    const samples = new Map(anytimeSamples(groups)?.map(({ name, sample }) => [name, sample]));
    const results = ofAll(({ name }) => fitnessResult('mean', samples.get(name) ?? []));
    return { instance, direction: 'max', worst: null, results };
  }
  const results = ofAll(({ sample, runs }) => {
    const failed = sample.length > 0 ? 0 : runs.filter(isFailed).length;
    return failed > 0 ? failureResult(failed, direction) : fitnessResult(measure, sample);
  });
  return { instance, direction, worst: null, results };
}
