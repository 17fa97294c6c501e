import type { JSX } from 'solid-js';
import { asProblem } from '#renderer/api/client.ts';
import { ErrorPanel } from '#renderer/components/ErrorPanel.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';

interface FailedPageProps {
  error: unknown;
  onRetry: () => void;
}

/** What a page that broke shows instead of itself. */
export function FailedPage(props: FailedPageProps): JSX.Element {
  return (
    <>
      <PageHeader title="This page failed" />
      <ErrorPanel
        title="This page failed"
        error={asProblem(props.error)}
        onRetry={() => props.onRetry()}
      />
    </>
  );
}
