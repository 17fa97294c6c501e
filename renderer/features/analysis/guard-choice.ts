import { createMemo } from 'solid-js';
import type { GuardedSamples } from '#shared/schemas/analysis-guard.ts';
import { effectsOfInterest } from '#shared/words.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

type Samples = Pick<GuardedSamples, 'failed' | 'stopped' | 'silent'>;

/** Returns the choices of runs for a query; undefined for a default. */
export function getSamplesQuery({ failed, stopped, silent }: Samples) {
  return {
    failed: failed === 'include' ? undefined : failed,
    stopped: stopped === 'include' ? undefined : stopped,
    silent: silent === 'running' ? undefined : silent,
  };
}

/** Returns the choices of the runs that enter the tests as signals in the URL, with defaults. */
export function createGuardChoice() {
  const [failed, setFailed] = createUrlSignal(
    'failed',
    asChoice(['include', 'exclude'], 'include'),
  );
  const [stopped, setStopped] = createUrlSignal(
    'stopped',
    asChoice(['include', 'exclude'], 'include'),
  );
  const [silent, setSilent] = createUrlSignal('silent', asChoice(['running', 'failed'], 'running'));
  const [effect, setEffect] = createUrlSignal('effect', asChoice(effectsOfInterest, '0.71'));
  const samplesQuery = createMemo(() =>
    getSamplesQuery({ failed: failed(), stopped: stopped(), silent: silent() }),
  );
  /** For the query: undefined leaves a choice to the service. */
  const query = createMemo(() => ({
    ...samplesQuery(),
    effect: effect() === '0.71' ? undefined : effect(),
  }));
  return {
    query,
    samplesQuery,
    failed,
    setFailed,
    stopped,
    setStopped,
    silent,
    setSilent,
    effect,
    setEffect,
  };
}
