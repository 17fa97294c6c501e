import type { Grouping } from '#shared/schemas/analysis.ts';
import { groupings } from '#shared/words.ts';
import type { QueryOf } from '#renderer/api/client.ts';
import { askedObjective, type AskedObjective } from '#renderer/pages/analysis/objective.ts';
import { urlText, type UrlSearch } from '#renderer/components/explorer/list-view.ts';

/** What the address of a problem's page says; what it says wrongly is as if it were not said. */
export interface ProblemView extends AskedObjective {
  /** Id of the instance; '' leaves the choice to the service. */
  instance: string;
  /** The algorithms compared; empty = all. */
  algorithms: readonly string[];
  groupBy: Grouping;
}

/** The view that an address stands for. */
export function parseProblemView(search: UrlSearch): ProblemView {
  return {
    ...askedObjective(search),
    instance: urlText(search, 'instance'),
    algorithms: repeatedTexts(search['algorithm']),
    groupBy: groupings.find((one) => one === urlText(search, 'by')) ?? 'algorithm',
  };
}

function repeatedTexts(value: string | string[] | undefined): string[] {
  const texts = [value ?? []].flat().map((text) => text.trim());
  return [...new Set(texts.filter(Boolean))];
}

/** The query of `/api/analysis/problem/{type}` for a view. */
export function toProblemQuery(view: ProblemView): NonNullable<QueryOf<'compareProblem'>> {
  const { direction, target, instance, algorithms, groupBy } = view;
  return {
    direction,
    target,
    instance,
    algorithm: algorithms,
    groupBy: groupBy === 'algorithm' ? undefined : groupBy,
  };
}

/** What of an instance's label tells it from others of its problem: "length 40" of "onemax, length 40". */
export function shortInstanceLabel(label: string, problemType: string): string {
  const prefix = `${problemType}, `;
  return label.startsWith(prefix) ? label.slice(prefix.length) : label;
}
