import type { Insights } from '#shared/schemas/insights.ts';
import type { IterationDiagnostics, InsightKey } from './diagnostics.ts';
import { toFinite, parseIndex, getList, toObject, toText } from './json.ts';

type Diagnostics = readonly IterationDiagnostics[];

/**
 * Returns the dependency edges of the last of these iterations with a non-empty list, without edges that lack a valid
 * index; empty if there is no such iteration.
 */
export function findNewestEdges(diagnostics: Diagnostics): Insights['edges'] {
  return findNewestList(diagnostics, 'dependencyEdges', (value, iteration) => {
    const edge = toObject(value);
    const [i, j] = [parseIndex(edge['i']), parseIndex(edge['j'])];
    if (i === null || j === null) return [];
    const weight = toFinite(edge['weight']);
    return [{ iteration, i, j, weight, correlation: toFinite(edge['correlation']) }];
  });
}

/**
 * Returns the clusters of dependent bits of the last of these iterations with a non-empty list, without invalid indices
 * and clusters that contain no valid one; empty if there is no such iteration.
 */
export function findNewestClusters(diagnostics: Diagnostics): Insights['clusters'] {
  return findNewestList(diagnostics, 'dependencyClusters', (value) => {
    const members = getList(value)
      .map(parseIndex)
      .filter((index) => index !== null);
    return members.length > 0 ? [members] : [];
  });
}

/**
 * Returns the adjacency edges of the last of these iterations with a non-empty list, without edges that lack a valid
 * item; empty if there is no such iteration.
 */
export function findNewestAdjacency(diagnostics: Diagnostics): Insights['adjacency'] {
  return findNewestList(diagnostics, 'topAdjacencyEdges', (value) => {
    const edge = toObject(value);
    const [from, to] = [parseIndex(edge['from']), parseIndex(edge['to'])];
    if (from === null || to === null) return [];
    return [{ from, to, frequency: toFinite(edge['frequency']), trend: toFinite(edge['trend']) }];
  });
}

/**
 * Returns the adaptive actions of an iteration from their stored list; empty for another value. A missing or invalid
 * field is an empty text.
 */
export function readAdaptiveActions(iteration: number, list: unknown): Insights['adaptiveActions'] {
  return getList(list)
    .map(toObject)
    .map((action) => ({
      iteration,
      trigger: toText(action['trigger']),
      actionType: toText(action['actionType']),
      reason: toText(action['reason']),
    }));
}

function findNewestList<Item>(
  diagnostics: Diagnostics,
  key: InsightKey,
  readItems: (value: unknown, iteration: number) => Item[],
): Item[] {
  const newestDiagnostics = diagnostics.findLast(
    ({ insights }) => getList(insights[key]).length > 0,
  );
  if (!newestDiagnostics) return [];
  return getList(newestDiagnostics.insights[key]).flatMap((value) =>
    readItems(value, newestDiagnostics.iteration),
  );
}
