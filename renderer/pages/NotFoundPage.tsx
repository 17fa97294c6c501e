import { A, useLocation } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';

/** What an address without a page shows. */
export function NotFoundPage(): JSX.Element {
  const location = useLocation();
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState title={`There is no page at ${location.pathname}`}>
        <A href="/">Go to all runs</A>
      </EmptyState>
    </>
  );
}
