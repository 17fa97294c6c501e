import { createMemo, type Accessor } from 'solid-js';
import { makeOptimizerNameGetter } from '#shared/optimizer-names.ts';
import { useEndpoint } from '#renderer/api/queries.ts';

/**
 * Returns the names that users gave algorithms, as a function of the stored name; that name where there is none. The
 * names of `algorithms`, the stored names of all algorithms of the view, differ.
 */
export function useAlgorithmNames(
  algorithms: Accessor<readonly string[]>,
): Accessor<(algorithm: string) => string> {
  const annotations = useEndpoint('listAnnotations', () => ({ query: { kind: 'algorithm' } }));
  return createMemo(() => makeOptimizerNameGetter(annotations.data ?? [], algorithms()));
}
