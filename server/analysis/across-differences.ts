import { maximum, minimum } from '#server/stats/descriptive.ts';
import type { AcrossInstance } from '#shared/schemas/analysis-across.ts';
import type { RunGroup } from './groups.ts';
import { budgetOf, isCompleted } from './outcomes.ts';

type Differences = AcrossInstance['differences'];

/** Budgets that differ by less than this share count as equal. */
const equalBudgetShare = 0.05;

/**
 * Returns in what the groups on an instance differ, with the smallest and the largest value of a group: the largest
 * budget of their runs, by more than 5 %; the number of their runs; the share of COMPLETED ones. Null where they agree.
 */
export function differencesAmong(groups: readonly Pick<RunGroup, 'runs'>[]): Differences {
  const budgets = groups.flatMap(({ runs }) => maximum(runs.map(budgetOf).filter(Boolean)) ?? []);
  const budget = rangeOf(budgets);
  const isAlike = budget !== null && budget.most - budget.least <= equalBudgetShare * budget.most;
  return {
    budget: isAlike ? null : budget,
    runs: rangeOf(groups.map(({ runs }) => runs.length)),
    completed: rangeOf(groups.map(({ runs }) => runs.filter(isCompleted).length / runs.length)),
  };
}

/** Smallest and largest value; null where they are equal or there are none. */
function rangeOf(values: readonly number[]): Differences['runs'] {
  const [least, most] = [minimum(values), maximum(values)];
  return least === null || most === null || least === most ? null : { least, most };
}
