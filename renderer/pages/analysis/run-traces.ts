import { createMemo, type Accessor } from 'solid-js';
import { hasActiveRuns } from '#renderer/api/freshness.ts';
import { useTraces } from '#renderer/api/traces.ts';
import { runTracesOf } from '#renderer/charts/figures/convergence.ts';
import { runPath } from '#renderer/paths.ts';
import type { RunTrace } from '#renderer/charts/figure.ts';
import { asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { AnalysedGroup, AnalysedGroups } from './analysed-groups.ts';
import { createObjective } from './asked-objective.ts';

/** Most experiments whose runs are drawn one by one. */
const maximumTracedExperiments = 24;

/** The single runs behind the groups. */
export interface GroupTraces {
  /** Traces of the runs of a group; none until they are asked for and have come. */
  of: (group: AnalysedGroup) => readonly RunTrace[];
  /** Whether improvements were left out of any. */
  isThinned: Accessor<boolean>;
  /** Whether the address asks for them. */
  isShown: Accessor<boolean>;
  show: (isShown: boolean) => void;
  isLoading: Accessor<boolean>;
  /** Why they cannot be shown; undefined when they can. */
  refusal: Accessor<string | undefined>;
  /** Those that are drawn. */
  runIds: Accessor<readonly string[]>;
}

/**
 * Fetches the traces of all runs while the address asks for them. Which of their points are drawn depends on the target; while
 * it is dragged, on that before.
 */
export function createGroupTraces(analysed: Accessor<AnalysedGroups>): GroupTraces {
  const [isShown, show] = createUrlSignal('traces', asFlag('shown'));
  const { direction, settledTarget } = createObjective();
  const experimentIds = createMemo(() => analysed().groups.flatMap((group) => group.experimentIds));
  const refusal = (): string | undefined =>
    experimentIds().length > maximumTracedExperiments
      ? `The runs of more than ${maximumTracedExperiments} experiments would hide each other.`
      : undefined;
  const isAsked = (): boolean => isShown() && refusal() === undefined;
  const traces = useTraces(
    () => (isAsked() ? experimentIds() : []),
    () => ({ direction: direction(), target: settledTarget() }),
    () => hasActiveRuns(analysed().notes),
  );
  const shown = createMemo(() => (isAsked() ? (traces.data ?? []) : []));
  const runIds = createMemo(() => shown().flatMap(({ runs }) => runs.map(({ runId }) => runId)));
  const byExperiment = createMemo(
    () => new Map(shown().map((experiment) => [experiment.experimentId, experiment])),
  );
  return {
    of: (group) =>
      group.experimentIds.flatMap((id) => runTracesOf(byExperiment().get(id), runPath)),
    isThinned: () => shown().some(({ runs }) => runs.some((run) => run.isThinned)),
    isShown,
    show,
    isLoading: () => traces.isLoading,
    refusal,
    runIds,
  };
}
