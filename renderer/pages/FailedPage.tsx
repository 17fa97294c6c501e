import { createEffect, on, type JSX } from 'solid-js';
import { call } from '#renderer/api/client.ts';
import { asProblemError, isScriptMissing, ProblemError } from '#renderer/state/problem-error.ts';
import { ErrorPanel } from '#renderer/ui/ErrorPanel.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { useLive } from '#renderer/api/live.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';

interface FailedPageProps {
  error: unknown;
  onRetry: () => void;
}

/**
 * Page in place of one that failed. If the script of a page cannot be fetched, it reloads the page, because the browser
 * caches the failure: on Retry if the service responds, and automatically when the service is back.
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
    // Without a service the browser would show its own error page.
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
        error={getShownProblem(props.error)}
        onRetry={retry}
      />
    </>
  );
}

function getShownProblem(error: unknown): ProblemError {
  if (!isScriptMissing(error)) return asProblemError(error);
  const detail =
    'The service does not respond, so this page could not be loaded. It loads automatically when the service is back.';
  return new ProblemError('UNREACHABLE', detail, 0);
}
