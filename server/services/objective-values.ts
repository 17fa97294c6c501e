import type { RunDetail } from '#shared/schemas/run.ts';

type Objective = RunDetail['objectives'][number];

/**
 * The objectives among the rows that the runner wrote as objectives, which are all keys of the run's last
 * metrics: `best_obj_0`, `best_obj_1`, … in their order, then, by name, what is no key of those metrics.
 * Without readable metrics, or without any `best_obj_k`, metrics cannot be distinguished from objectives: then only
 * the former, or, where there is none of them and no metrics either, all rows.
 */
export function selectObjectiveValues(
  rows: readonly Objective[],
  lastMetricsJson: string | null,
): Objective[] {
  const numbered = rows.filter((row) => orderOf(row) !== null);
  const metrics = keysOf(lastMetricsJson);
  const others = rows.filter((row) => orderOf(row) === null && !metrics?.has(row.name));
  numbered.sort((one, other) => (orderOf(one) ?? 0) - (orderOf(other) ?? 0));
  return metrics === null && numbered.length > 0 ? numbered : [...numbered, ...others];
}

function orderOf({ name }: Objective): number | null {
  const match = /^best_obj_(\d+)$/.exec(name);
  return match ? Number(match[1]) : null;
}

function keysOf(json: string | null): Set<string> | null {
  try {
    const metrics: unknown = JSON.parse(json ?? 'null');
    return typeof metrics === 'object' && metrics !== null ? new Set(Object.keys(metrics)) : null;
  } catch {
    return null;
  }
}
