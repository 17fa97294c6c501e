import { createMemo } from 'solid-js';
import { groupings } from '#shared/words.ts';
import { createObjective } from '#renderer/pages/analysis/asked-objective.ts';
import { createGuardChoice } from '#renderer/pages/analysis/guard-choice.ts';
import { createTargets, targetsOf } from '#renderer/pages/analysis/TargetsField.tsx';
import { asChoice, asList, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** What the address of a problem's page chooses, as signals. */
export type ProblemChoice = ReturnType<typeof createProblemChoice>;

/** What is compared on a problem by the address, and the query of `/api/analysis/problem/{type}` for it. */
export function createProblemChoice() {
  const { asked } = createObjective();
  /** Id of the instance; '' leaves the choice to the service. */
  const [instance, setInstance] = createUrlSignal('instance', asText());
  /** The algorithms compared; empty = all. */
  const [algorithms, setAlgorithms] = createUrlSignal('algorithm', asList());
  const [groupBy, setGroupBy] = createUrlSignal('by', asChoice(groupings, 'algorithm'));
  const [targets] = createTargets();
  const guard = createGuardChoice();
  const query = createMemo(() => ({
    ...asked(),
    ...guard.query(),
    targets: targetsOf(targets()),
    instance: instance(),
    algorithm: algorithms(),
    groupBy: groupBy() === 'algorithm' ? undefined : groupBy(),
  }));
  return { query, objective: asked, setInstance, algorithms, setAlgorithms, groupBy, setGroupBy };
}

/** What of an instance's label tells it from others of its problem: "length 40" of "onemax, length 40". */
export function shortInstanceLabel(label: string, problemType: string): string {
  const prefix = `${problemType}, `;
  return label.startsWith(prefix) ? label.slice(prefix.length) : label;
}
