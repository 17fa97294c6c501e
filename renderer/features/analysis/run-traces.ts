import { createMemo, type Accessor } from 'solid-js';
import { hasActiveRuns } from '#renderer/api/freshness.ts';
import { useTraces } from '#renderer/api/traces.ts';
import { getRunTraces } from '#renderer/charts/figures/convergence.ts';
import { getShortId } from '#shared/words.ts';
import { getRunPath } from '#renderer/paths.ts';
import type { RunTrace } from '#renderer/charts/figure.ts';
import { asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { AnalysedGroup, AnalysedGroups } from './analysed-groups.ts';
import { useAnalysisChoice } from './analysis-choice.ts';

/** Maximum number of experiments whose runs are drawn individually. */
const maximumTracedExperiments = 24;

/** The single runs of the groups. */
export interface GroupTraces {
  /** Returns the traces of the runs of a group; none until they are requested and loaded. */
  of: (group: AnalysedGroup) => readonly RunTrace[];
  /** Whether improvements were omitted from any trace. */
  isThinned: Accessor<boolean>;
  /** Whether the URL requests them. */
  isShown: Accessor<boolean>;
  show: (isShown: boolean) => void;
  isLoading: Accessor<boolean>;
  /** Why they cannot be shown; undefined when they can. */
  refusal: Accessor<string | undefined>;
  /** Why the latest fetch of them failed; undefined otherwise. */
  failure: Accessor<string | undefined>;
  /** The drawn runs. */
  runIds: Accessor<readonly string[]>;
}

/**
 * Fetches the traces of all runs while the URL requests them. The drawn points depend on the target; while it is
 * dragged, on the previous target.
 */
export function createGroupTraces(analysis: Accessor<AnalysedGroups>): GroupTraces {
  const [isShown, show] = createUrlSignal('traces', asFlag('shown'));
  const { direction, settledTarget } = useAnalysisChoice();
  const experimentIds = createMemo(() => analysis().groups.flatMap((group) => group.experimentIds));
  const refusal = (): string | undefined =>
    experimentIds().length > maximumTracedExperiments
      ? `Single runs can be drawn for at most ${maximumTracedExperiments} experiments.`
      : undefined;
  const isRequested = (): boolean => isShown() && refusal() === undefined;
  const traces = useTraces(
    () => (isRequested() ? experimentIds() : []),
    () => ({ direction: direction(), target: settledTarget() }),
    () => hasActiveRuns(analysis().notes),
  );
  const visibleTraces = createMemo(() => (isRequested() ? (traces.data ?? []) : []));
  const runIds = createMemo(() =>
    visibleTraces().flatMap(({ runs }) => runs.map(({ runId }) => runId)),
  );
  const byExperiment = createMemo(
    () => new Map(visibleTraces().map((experiment) => [experiment.experimentId, experiment])),
  );
  return {
    of: (group) =>
      group.experimentIds.flatMap((id) =>
        getRunTraces(byExperiment().get(id), getRunPath, getShortId),
      ),
    isThinned: () => visibleTraces().some(({ runs }) => runs.some((run) => run.isThinned)),
    isShown,
    show,
    isLoading: () => traces.isLoading,
    refusal,
    failure: () => (isRequested() ? traces.error?.detail : undefined),
    runIds,
  };
}
