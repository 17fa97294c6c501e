import { createMemo, type Accessor } from 'solid-js';
import type { Grouping } from '#shared/schemas/analysis.ts';
import { groupings } from '#shared/words.ts';
import { createAnalysisChoice } from '#renderer/features/analysis/analysis-choice.ts';
import { asList, asText, type UrlKind } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** One of the groupings, or `param:` and the path of a parameter; `algorithm` by default. */
const asGrouping: UrlKind<Grouping> = {
  parse: ([text]) =>
    groupings.find((name) => name === text) ??
    (text !== undefined && /^param:\S/.test(text) ? (text as `param:${string}`) : 'algorithm'),
  format: (groupBy) => (groupBy === 'algorithm' ? [] : [groupBy]),
  history: () => 'push',
};

/** The choices in the URL of a problem's page, as signals. */
export type ProblemChoice = ReturnType<typeof createProblemChoice>;

/**
 * Creates the choices of a comparison in the URL, and its query for `/api/analysis/problem/{type}`. See
 * {@link createAnalysisChoice} for `isPending`.
 */
export function createProblemChoice(isPending: Accessor<boolean>) {
  const analysis = createAnalysisChoice(isPending);
  /** Id of the instance; '' leaves the choice to the service. */
  const [instance, setInstance] = createUrlSignal('instance', asText());
  /** The compared algorithms; empty = all. */
  const [algorithms, setAlgorithms] = createUrlSignal('algorithm', asList());
  const [groupBy, setGroupBy] = createUrlSignal('by', asGrouping);
  const query = createMemo(() => ({
    ...analysis.query(),
    instance: instance(),
    algorithm: algorithms(),
    groupBy: groupBy() === 'algorithm' ? undefined : groupBy(),
  }));
  return { analysis, query, setInstance, algorithms, setAlgorithms, groupBy, setGroupBy };
}

/**
 * Returns the part of an instance's label that distinguishes it within its problem: "length 40" of "onemax, length 40".
 */
export function getShortInstanceLabel(label: string, problemType: string): string {
  const prefix = `${problemType}, `;
  return label.startsWith(prefix) ? label.slice(prefix.length) : label;
}
