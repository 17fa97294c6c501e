import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, onCleanup, type Accessor } from 'solid-js';
import { ProblemError, type FailureCode } from '#renderer/state/problem-error.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { showToast } from '#renderer/ui/toaster.ts';

/** Result of one target; a refusal of the service is a result too. */
export interface TargetResult {
  target: { id: string };
  /** Whether the target needs no further attempt. */
  isDone: boolean;
}

/** Results of a batch; each target has a result or is unsent. */
export interface BatchOutcome<Result extends TargetResult> {
  /** In the order of sending, earlier attempts included. */
  results: Result[];
  /** Not sent, or with an unknown result, because of `failure`; can be sent again. */
  unsentTargets: Result['target'][];
  failure: ProblemError | undefined;
}

/** Action on the targets of a batch. */
export interface BatchAction<Result extends TargetResult> {
  /** Maximum number of targets in one request. */
  requestSize: number;
  /** Sends one request; returns the results of its targets. Throws a ProblemError that would affect later requests. */
  send: (targets: readonly Result['target'][]) => Promise<Result[]>;
}

/**
 * Sends the requests of a batch one after the other. A refused target does not affect the others; a failed request ends
 * the batch, and its targets are the first of the unsent ones. `previous` is the outcome of the attempt before: its
 * results remain, except those of targets that are sent again. `onProgress` receives the outcome after each request.
 */
export async function runBatch<Result extends TargetResult>(
  targets: readonly Result['target'][],
  { requestSize, send }: BatchAction<Result>,
  onProgress: (soFar: BatchOutcome<Result>) => void = () => undefined,
  previous?: BatchOutcome<Result>,
): Promise<BatchOutcome<Result>> {
  const resentIds = new Set(targets.map(({ id }) => id));
  const results = (previous?.results ?? []).filter(({ target }) => !resentIds.has(target.id));
  for (let start = 0; start < targets.length; start += requestSize) {
    try {
      results.push(...(await send(targets.slice(start, start + requestSize))));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { results, unsentTargets: targets.slice(start), failure: error };
    }
    onProgress({ results: [...results], unsentTargets: [], failure: undefined });
  }
  return { results, unsentTargets: [], failure: undefined };
}

/** Whether no target needs a further attempt. */
export function isComplete({ results, unsentTargets }: BatchOutcome<TargetResult>): boolean {
  return unsentTargets.length === 0 && results.every(({ isDone }) => isDone);
}

interface BatchOptions<Result extends TargetResult> {
  /** Returns one sentence about the outcome, for a toast. */
  formatOutcome: (outcome: BatchOutcome<Result>) => string;
  onProgress: (soFar: BatchOutcome<Result>) => void;
  /** Returns whether the dialog closes with this outcome; otherwise it shows the outcome. */
  shouldCloseWith: (outcome: BatchOutcome<Result>) => boolean;
  /** Whether the dialog fetches the lists again before it closes. */
  shouldRefreshFirst: boolean;
  onClose: () => void;
}

/** State of a batch in a dialog; every member is reactive. */
export interface Batch<Result extends TargetResult> {
  /** Why the last attempt failed; undefined during the next one. */
  failure: Accessor<BatchFailure | undefined>;
  setFailure: (failure: BatchFailure | undefined) => void;
  isSending: Accessor<boolean>;
  /** Outcome so far; undefined before the first response. */
  outcome: Accessor<BatchOutcome<Result> | undefined>;
  /** Sends the targets and reports the outcome; does nothing while an earlier call sends. */
  run: (targets: readonly Result['target'][], action: BatchAction<Result>) => Promise<void>;
}

interface BatchFailure {
  code: FailureCode;
  detail: string;
}

/** Creates the batch of a dialog. It continues when the dialog is closed, and then reports its outcome in a toast. */
export function createBatch<Result extends TargetResult>(
  options: BatchOptions<Result>,
): Batch<Result> {
  const client = useQueryClient();
  const [failure, setFailure] = createSignal<BatchFailure>();
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<BatchOutcome<Result>>();
  let isClosed = false;
  onCleanup(() => (isClosed = true));
  const takeProgress = (soFar: BatchOutcome<Result>): void => {
    setOutcome(soFar);
    options.onProgress(soFar);
  };
  const run: Batch<Result>['run'] = async (targets, action) => {
    if (isSending()) return;
    setSending(true);
    setFailure(undefined);
    const result = await runBatch(targets, action, takeProgress, outcome()).finally(() =>
      setSending(false),
    );
    setOutcome(result);
    setFailure(result.failure);
    const refresh = wakeQueries(client);
    if (options.shouldRefreshFirst) await refresh;
    const isClosing = options.shouldCloseWith(result);
    if (isClosing || isClosed)
      showToast(options.formatOutcome(result), isComplete(result) ? 'done' : 'failure');
    if (isClosing && !isClosed) options.onClose();
  };
  return { failure, setFailure, isSending, outcome, run };
}
