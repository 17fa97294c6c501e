import { A, useLocation } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';

/** Page for unknown URLs. */
export function NotFoundPage(): JSX.Element {
  const location = useLocation();
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState title={`No page at ${location.pathname}`}>
        <A href="/">Go to all runs</A>
      </EmptyState>
    </>
  );
}
