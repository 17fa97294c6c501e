import { useParams } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { PageHeader } from '#renderer/components/PageHeader.tsx';

/** One run. */
export function RunPage(): JSX.Element {
  const params = useParams<{ runId: string }>();
  return <PageHeader title={params.runId} crumbs={[{ label: 'Runs', href: '/' }]} />;
}
