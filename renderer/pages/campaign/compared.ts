import { createMemo, mapArray, type Accessor } from 'solid-js';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import { asList } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

/** A campaign in the URL that cannot be compared with the page's own, with the reason. */
export interface RefusedCampaign {
  campaignId: string;
  reason: string;
}

/** The campaigns to compare with the page's own. */
export interface ComparedCampaigns {
  /** Ids in the URL, without the page's own. */
  otherIds: Accessor<readonly string[]>;
  setOtherIds: (ids: readonly string[]) => void;
  /** Whether the request for each of them has succeeded or failed. */
  isSettled: Accessor<boolean>;
  campaigns: Accessor<readonly CampaignDetail[]>;
  refused: Accessor<readonly RefusedCampaign[]>;
}

/**
 * Loads the campaigns in the URL next to this one (`campaign=…`): those of its suite, and the reasons against the
 * others.
 */
export function createCompared(own: Accessor<CampaignDetail>): ComparedCampaigns {
  const [ids, setOtherIds] = createUrlSignal('campaign', asList());
  const otherIds = createMemo(() => ids().filter((id) => id !== own().campaignId));
  const otherCampaigns = mapArray(otherIds, (campaignId) => ({
    campaignId,
    query: useEndpoint('getCampaign', () => ({ params: { campaignId } })),
  }));
  const isSettled = createMemo(() =>
    otherCampaigns().every(({ query }) => query.data ?? query.error),
  );
  const candidates = createMemo(() =>
    otherCampaigns().map(({ campaignId, query }) => ({
      campaignId,
      campaign: query.data,
      reason: getReasonAgainst(query, own().suite),
    })),
  );
  const campaigns = createMemo(() =>
    candidates().flatMap(({ campaign, reason }) =>
      campaign && reason === undefined ? campaign : [],
    ),
  );
  const refused = createMemo(() =>
    candidates().flatMap(({ campaignId, reason }) =>
      reason === undefined ? [] : { campaignId, reason },
    ),
  );
  return { otherIds, setOtherIds, isSettled, campaigns, refused };
}

function getReasonAgainst(
  { data, error }: QueryState<CampaignDetail>,
  suite: string,
): string | undefined {
  if (!data) return error?.detail;
  if (data.suite === suite) return undefined;
  return `belongs to the suite ${data.suite}, which has other functions than ${suite}`;
}
