import { createEffect, on, type JSX } from 'solid-js';
import { asProblem, call, isScriptMissing, ProblemError } from '#renderer/api/client.ts';
import { ErrorPanel } from '#renderer/components/ErrorPanel.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { useLive } from '#renderer/state/live.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';

interface FailedPageProps {
  error: unknown;
  onRetry: () => void;
}

/**
 * What a page that broke shows instead of itself. A page whose script could not be fetched is loaded anew, as the
 * browser keeps that failure: by Retry once the service answers, and by itself when the service is back.
 */
export function FailedPage(props: FailedPageProps): JSX.Element {
  const live = useLive();
  useLeave(() => props.onRetry());
  createEffect(
    on(
      () => live.state().phase,
      (phase, before) => {
        const isBack = phase === 'live' && before !== undefined && before !== 'live';
        if (isBack && isScriptMissing(props.error)) window.location.reload();
      },
    ),
  );
  const retry = (): void => {
    if (!isScriptMissing(props.error)) return props.onRetry();
    // Without a service the browser would put a page of its own in place of this one.
    call('getHealth').then(
      () => window.location.reload(),
      () => undefined,
    );
  };
  return (
    <>
      <PageHeader title="Something went wrong on this page" />
      <ErrorPanel
        title="This page cannot be shown"
        error={shownProblem(props.error)}
        onRetry={retry}
      />
    </>
  );
}

function shownProblem(error: unknown): ProblemError {
  if (!isScriptMissing(error)) return asProblem(error);
  const detail =
    'The service does not respond, so this page could not be loaded. It loads automatically when the service is back.';
  return new ProblemError('UNREACHABLE', detail, 0);
}
