import { createMemo, type Accessor } from 'solid-js';
import { makeOptimizerNameGetter } from '#shared/optimizer-names.ts';
import { useEndpoint } from '#renderer/api/queries.ts';

/** Returns the names that users gave algorithms, as a function of the stored name; that name where there is none. */
export function useAlgorithmNames(): Accessor<(algorithm: string) => string> {
  const annotations = useEndpoint('listAnnotations', () => ({ query: { kind: 'algorithm' } }));
  return createMemo(() => makeOptimizerNameGetter(annotations.data ?? []));
}
