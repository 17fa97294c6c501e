import type { Insights } from '#shared/schemas/insights.ts';
import type { IterationDiagnostics, InsightKey } from './diagnostics.ts';
import { finiteOf, indexOf, listOf, objectOf, textOf } from './json.ts';

type Columns = readonly IterationDiagnostics[];

/** Returns the dependency edges of the newest iteration that has any; omits edges without two indices. */
export function newestEdges(columns: Columns): Insights['edges'] {
  return newestList(columns, 'dependencyEdges', (value, iteration) => {
    const edge = objectOf(value);
    const [i, j] = [indexOf(edge['i']), indexOf(edge['j'])];
    if (i === null || j === null) return [];
    const weight = finiteOf(edge['weight']);
    return [{ iteration, i, j, weight, correlation: finiteOf(edge['correlation']) }];
  });
}

/** Returns the clusters of dependent bits of the newest iteration that has any. */
export function newestClusters(columns: Columns): Insights['clusters'] {
  return newestList(columns, 'dependencyClusters', (value) => {
    const members = listOf(value)
      .map(indexOf)
      .filter((index) => index !== null);
    return members.length > 0 ? [members] : [];
  });
}

/** Returns the adjacency edges of the newest iteration that has any; omits edges without two items. */
export function newestAdjacency(columns: Columns): Insights['adjacency'] {
  return newestList(columns, 'topAdjacencyEdges', (value) => {
    const edge = objectOf(value);
    const [from, to] = [indexOf(edge['from']), indexOf(edge['to'])];
    if (from === null || to === null) return [];
    return [{ from, to, frequency: finiteOf(edge['frequency']), trend: finiteOf(edge['trend']) }];
  });
}

/** Returns the adaptive actions of an iteration from their stored list. */
export function adaptiveActions(iteration: number, list: unknown): Insights['adaptiveActions'] {
  return listOf(list)
    .map(objectOf)
    .map((action) => ({
      iteration,
      trigger: textOf(action['trigger']),
      actionType: textOf(action['actionType']),
      reason: textOf(action['reason']),
    }));
}

function newestList<Item>(
  columns: Columns,
  key: InsightKey,
  read: (value: unknown, iteration: number) => Item[],
): Item[] {
  const newest = columns.findLast(({ insights }) => listOf(insights[key]).length > 0);
  if (!newest) return [];
  return listOf(newest.insights[key]).flatMap((value) => read(value, newest.iteration));
}
