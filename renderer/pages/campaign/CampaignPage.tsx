import { A, useNavigate } from '@solidjs/router';
import { Show, type Accessor, type JSX } from 'solid-js';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { campaignName, campaignTarget } from '#renderer/components/campaign-name.ts';
import { DeleteButton } from '#renderer/components/deletion/DeleteDialog.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { shortId } from '#renderer/components/short-id.ts';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { usePathText } from '#renderer/state/url.ts';
import { createCampaignSet } from './campaign-set.ts';
import { CampaignHead } from './CampaignHead.tsx';
import { CampaignTabs } from './CampaignTabs.tsx';
import './campaign.css';

const listPath = '/coco';
const crumbs = [{ label: 'COCO', href: listPath }];

/** One campaign: how it stands, what came of it, its trials. */
export function CampaignPage(): JSX.Element {
  const campaignId = usePathText('campaignId');
  // Another campaign is another page: nothing of this one's state means anything there.
  return (
    <Show when={campaignId()} keyed>
      {(id) => <CampaignView campaignId={id} />}
    </Show>
  );
}

function CampaignView(props: { campaignId: string }): JSX.Element {
  const campaign = useEndpoint('getCampaign', () => ({
    params: { campaignId: props.campaignId },
  }));
  const isUnknown = (): boolean => campaign.error?.code === 'CAMPAIGN_NOT_FOUND';
  return (
    <>
      <PageHeader
        title={campaign.data ? campaignName(campaign.data) : shortId(props.campaignId)}
        crumbs={crumbs}
        actions={
          <Show when={!isUnknown() && campaign.data}>
            {(data) => <DeleteCampaign campaign={data()} />}
          </Show>
        }
      />
      <Show
        when={!isUnknown()}
        fallback={
          <EmptyState title="Campaign not found" actions={<A href={listPath}>All campaigns</A>}>
            {campaign.error?.detail}
          </EmptyState>
        }
      >
        <QueryView query={campaign} skeleton={<Skeleton shape={{ blockPixels: 420 }} />}>
          {(data) => <CampaignBody campaign={data} />}
        </QueryView>
      </Show>
    </>
  );
}

function DeleteCampaign(props: { campaign: CampaignDetail }): JSX.Element {
  const navigate = useNavigate();
  return (
    <DeleteButton
      kind="danger"
      targets={[campaignTarget(props.campaign)]}
      onGone={() => navigate(listPath, { replace: true })}
    >
      Delete campaign
    </DeleteButton>
  );
}

function CampaignBody(props: { campaign: Accessor<CampaignDetail> }): JSX.Element {
  const set = createCampaignSet(
    () => props.campaign(),
    () => [],
  );
  return (
    <div class="campaign-page">
      <CampaignHead campaign={props.campaign()} />
      <CampaignTabs set={set} />
    </div>
  );
}
