import type { Accessor } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';

/** Returns why nothing can be stopped or deleted in this database; undefined when it can. */
export function useReadOnlyReason(): Accessor<string | undefined> {
  const health = useEndpoint('getHealth');
  return () =>
    health.data?.readOnly === true
      ? `${health.data.readOnlyReason ?? 'The database is open read-only'}: nothing can be stopped or deleted.`
      : undefined;
}
