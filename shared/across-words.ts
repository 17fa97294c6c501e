import { countOf, formatCount, formatShare } from './number-format.ts';
import type { Across, AcrossInstance } from './schemas/analysis-across.ts';

/** What the difference of a pair is measured in, as a clause: "differences are …". */
export const pairScaleWords: Readonly<Record<Across['pairTests']['scale'], string>> = {
  log10Ert: 'a difference is the log10 ratio of their ERT',
  log10Precision: 'a difference is the log10 ratio of their distances to the known optimum',
  successRate: 'a difference is that of their success rates',
  anytime: 'a difference is that of their anytime performance',
};

/** The instances that ranks and tests across instances are over: "the 3 instances that all groups share". */
export function missingWords({
  missing,
  instances,
}: Pick<Across, 'missing'> & { instances: readonly Pick<AcrossInstance, 'isShared'>[] }): string {
  const shared = instances.filter(({ isShared }) => isShared).length;
  const all = countOf(instances.length, 'instance');
  if (missing === 'worst') return `all ${all}, where a group without results is worst`;
  if (missing === 'pairwise') return `those of ${all} on which both groups have results`;
  return `the ${countOf(shared, 'instance')} that all groups share`;
}

/** In what the groups on an instance differ: "budget (1 000 to 5 000), runs (10 to 15)"; empty where they agree. */
export function differenceWords({ differences }: Pick<AcrossInstance, 'differences'>): string {
  const { budget, runs, completed } = differences;
  return [
    ...(budget ? [`budget (${formatCount(budget.least)} to ${formatCount(budget.most)})`] : []),
    ...(runs ? [`runs (${formatCount(runs.least)} to ${formatCount(runs.most)})`] : []),
    ...(completed
      ? [`completed runs (${formatShare(completed.least)} to ${formatShare(completed.most)})`]
      : []),
  ].join(', ');
}
