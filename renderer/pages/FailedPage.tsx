import { createEffect, createSignal, on, type JSX } from 'solid-js';
import { call } from '#renderer/api/client.ts';
import { asProblemError, isScriptMissing, ProblemError } from '#renderer/state/problem-error.ts';
import { ErrorPanel } from '#renderer/ui/ErrorPanel.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { useLive } from '#renderer/api/live.tsx';
import { isPageOutdated, reloadForScripts } from '#renderer/api/page-update.ts';
import { useLeave } from '#renderer/state/use-leave.ts';

interface FailedPageProps {
  error: unknown;
  onRetry: () => void;
}

/**
 * Page in place of one that failed. If the script of a page cannot be fetched, it reloads the page, because the browser
 * caches the failure: immediately if the service responds, because it was updated and has other scripts, otherwise when
 * the service is back. It also reloads a page of a previous version, which may not understand the responses of the
 * current one. If a reload has not helped, it shows the error, and Retry reloads again.
 */
export function FailedPage(props: FailedPageProps): JSX.Element {
  const live = useLive();
  const [isServiceDown, setServiceDown] = createSignal(false);
  useLeave(() => props.onRetry());
  const reloadIfReachable = async (reload: () => void): Promise<void> => {
    // Without a service the browser would show its own error page.
    const isDown = await call('getHealth').then(
      () => false,
      () => true,
    );
    setServiceDown(isDown);
    if (!isDown) reload();
  };
  createEffect(
    on(
      () => [live.state().phase, isPageOutdated()] as const,
      ([phase, isOutdated], before) => {
        const isBack = phase === 'live' && (before?.[0] === 'offline' || before?.[0] === 'polling');
        if (!isScriptMissing(props.error)) {
          if (isOutdated) reloadForScripts();
        } else if (isBack) window.location.reload();
        else if (before === undefined) void reloadIfReachable(reloadForScripts);
      },
    ),
  );
  const retry = (): void => {
    if (isScriptMissing(props.error)) void reloadIfReachable(() => window.location.reload());
    else props.onRetry();
  };
  return (
    <>
      <PageHeader title="Something went wrong on this page" />
      <ErrorPanel
        title="This page cannot be shown"
        error={getShownProblem(props.error, isServiceDown())}
        onRetry={retry}
      />
    </>
  );
}

function getShownProblem(error: unknown, isServiceDown: boolean): ProblemError {
  if (!isScriptMissing(error) || !isServiceDown) return asProblemError(error);
  const detail =
    'The service does not respond, so this page could not be loaded. It loads automatically when the service is back.';
  return new ProblemError('UNREACHABLE', detail, 0);
}
