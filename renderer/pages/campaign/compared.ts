import { createMemo, mapArray, type Accessor } from 'solid-js';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import { asList } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** A campaign that the address asks for, and why it cannot stand beside the page's own. */
export interface Refused {
  campaignId: string;
  reason: string;
}

/** The campaigns that stand beside the page's own. */
export interface Compared {
  /** Ids as the address has them, the page's own left out. */
  asked: Accessor<readonly string[]>;
  setAsked: (ids: readonly string[]) => void;
  /** Whether it is known of all that are asked for what they are. */
  isKnown: Accessor<boolean>;
  campaigns: Accessor<readonly CampaignDetail[]>;
  refused: Accessor<readonly Refused[]>;
}

/** The campaigns that the address asks for beside this one (`campaign=…`): those of its suite, and why not the others. */
export function createCompared(own: Accessor<CampaignDetail>): Compared {
  const [ids, setAsked] = createUrlSignal('campaign', asList());
  const asked = createMemo(() => ids().filter((id) => id !== own().campaignId));
  const found = mapArray(asked, (campaignId) => ({
    campaignId,
    query: useEndpoint('getCampaign', () => ({ params: { campaignId } })),
  }));
  const isKnown = createMemo(() => found().every(({ query }) => query.data ?? query.error));
  const judged = createMemo(() =>
    found().map(({ campaignId, query }) => ({
      campaignId,
      campaign: query.data,
      reason: reasonAgainst(query, own().suite),
    })),
  );
  const campaigns = createMemo(() =>
    judged().flatMap(({ campaign, reason }) => (campaign && reason === undefined ? campaign : [])),
  );
  const refused = createMemo(() =>
    judged().flatMap(({ campaignId, reason }) =>
      reason === undefined ? [] : { campaignId, reason },
    ),
  );
  return { asked, setAsked, isKnown, campaigns, refused };
}

function reasonAgainst(
  { data, error }: QueryState<CampaignDetail>,
  suite: string,
): string | undefined {
  if (!data) return error?.detail;
  if (data.suite === suite) return undefined;
  return `is of the suite ${data.suite}, whose functions are others than those of ${suite}`;
}
