import type { Accessor } from 'solid-js';
import { maximumOverlaidSeries, progressAxes } from '#shared/words.ts';
import type { ProgressAxis } from '#shared/schemas/analysis-runs.ts';
import { asChoice, asList, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** The compared runs in the URL. */
export interface ComparedSet {
  runIds: Accessor<readonly string[]>;
  setRunIds: (runIds: readonly string[]) => void;
  remove: (runId: string) => void;
  by: Accessor<ProgressAxis>;
  setBy: (by: ProgressAxis) => void;
  /** Keys of the drawn series. */
  series: Accessor<readonly string[]>;
  setSeries: (keys: readonly string[]) => void;
  /** The reference run; undefined without one. */
  reference: Accessor<string | undefined>;
  setReference: (runId: string | undefined) => void;
}

/** Creates the state of the page, all of it in the URL: `run`, `by`, `series` and `reference`. */
export function createComparedSet(): ComparedSet {
  const [runIds, setRunIds] = createUrlSignal('run', asList());
  const [by, setBy] = createUrlSignal('by', asChoice(progressAxes, progressAxes[0]));
  const [series, setSeries] = createUrlSignal('series', asList());
  const [referenceId, setReferenceId] = createUrlSignal('reference', asText());
  const reference = (): string | undefined => runIds().find((runId) => runId === referenceId());
  const setReference = (runId: string | undefined): void => setReferenceId(runId ?? '');
  return {
    runIds,
    setRunIds,
    remove: (runId) => setRunIds(runIds().filter((one) => one !== runId)),
    by,
    setBy,
    series: () => series().slice(0, maximumOverlaidSeries),
    setSeries,
    reference,
    setReference,
  };
}
