import type { JSX } from 'solid-js';
import { PageHeader } from '#renderer/components/PageHeader.tsx';

/** The run explorer. */
export function RunsPage(): JSX.Element {
  return <PageHeader title="Runs" />;
}
