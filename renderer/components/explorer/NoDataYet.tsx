import type { JSX } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';
import { EmptyState } from '#renderer/components/EmptyState.tsx';

/** What a list of these (runs, …) shows while the database holds nothing at all: how data gets there. */
export function NoDataYet(props: { noun: string }): JSX.Element {
  const summary = useEndpoint('getSummary');
  return (
    <EmptyState title={`This database has no ${props.noun}s yet`}>
      <p>
        Start the runner with this database and its {props.noun}s appear here by themselves. To look
        around first, write sample data:
      </p>
      <p>
        <code class="mono">npm run sample -- --db '{summary.data?.databaseFile ?? '<URL>'}'</code>
      </p>
      <p>
        <code class="mono">npm start</code> on an empty database offers sample data too.
      </p>
    </EmptyState>
  );
}
