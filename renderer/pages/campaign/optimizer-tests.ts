import { createMemo, type Accessor } from 'solid-js';
import type { OptimizerTests } from '#shared/schemas/coco-analysis.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import type { CampaignSet } from './campaign-set.ts';
import type { ScopeValues } from './scope.ts';

/**
 * Fetches the tests of a part of the trials; undefined for several targets, because each would need its own tests.
 */
export function useOptimizerTests(
  { request, freshness }: Pick<CampaignSet, 'request' | 'freshness'>,
  part: Accessor<ScopeValues & { targets?: readonly string[] | undefined }>,
): Accessor<Pick<QueryState<OptimizerTests>, 'data' | 'error' | 'retry'> | undefined> {
  const hasOneTarget = createMemo(() => {
    const { targets = [] } = part();
    // A range of powers of ten is one text, not a number.
    return targets.length <= 1 && !targets.some((text) => Number.isNaN(Number(text)));
  });
  const tests = useEndpoint('compareOptimizers', () => {
    const { targets = [], ...scope } = part();
    const [text] = targets;
    return {
      params: request().params,
      query: {
        campaign: request().campaign,
        ...scope,
        ...(text !== undefined && { target: Number(text) }),
      },
      ...freshness(),
      enabled: hasOneTarget(),
    };
  });
  // The arguments of a disabled query may be those of a cached response.
  return () => (hasOneTarget() ? tests : undefined);
}
