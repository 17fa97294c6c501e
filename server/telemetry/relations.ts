import type { Insights } from '#shared/schemas/insights.ts';
import type { IterationDiagnostics, InsightKey } from './diagnostics.ts';
import { toFinite, parseIndex, getList, toObject, toText } from './json.ts';

type Diagnostics = readonly IterationDiagnostics[];

/**
 * Returns the dependency edges of the last iteration with a non-empty list; empty if there is no such iteration. Omits
 * edges without two valid indices. A missing or non-finite `weight` or `correlation` is null.
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
 * Returns the clusters of dependent bits of the last iteration with a non-empty list; empty if there is no such
 * iteration. Omits invalid indices, and clusters without a valid index.
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
 * Returns the adjacency edges of the last iteration with a non-empty list; empty if there is no such iteration. Omits
 * edges without two valid items. A missing or non-finite `frequency` or `trend` is null.
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
 * Returns the adaptive actions of an iteration from their stored list; empty if `list` is not an array. A missing or
 * invalid field is an empty text.
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
