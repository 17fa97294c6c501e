import { A, useNavigate } from '@solidjs/router';
import { Match, Show, Switch, type Accessor, type JSX } from 'solid-js';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import { ArchiveButton } from '#renderer/features/archive/ArchiveButton.tsx';
import { ExportMenu } from '#renderer/features/export/ExportMenu.tsx';
import { DeleteButton } from '#renderer/features/stop-and-delete/DeleteDialog.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { formatSentence } from '#renderer/ui/sentence.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { getCampaignName } from '#renderer/names.ts';
import { getShortId } from '#shared/words.ts';
import { getCampaignTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { usePathText } from '#renderer/state/url.ts';
import { createCampaignSet } from './campaign-set.ts';
import { CampaignHead } from './CampaignHead.tsx';
import { CampaignTabs } from './CampaignTabs.tsx';
import { createCompared } from './compared.ts';
import { ComparedCard, RefusedLine } from './ComparedCard.tsx';
import './campaign.css';

const listPath = '/coco';
const crumbs = [{ label: 'COCO', href: listPath }];

/** One campaign, or several of one suite side by side: status and results, and the trials of a single one. */
export function CampaignPage(): JSX.Element {
  const campaignId = usePathText('campaignId');
  // Another campaign is another page: no state of this one applies there.
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
  const header = (): JSX.Element => (
    <PageHeader title={getShortId(props.campaignId)} crumbs={crumbs} />
  );
  return (
    <Switch
      fallback={
        <>
          {header()}
          <QueryView
            query={campaign}
            skeleton={<Skeleton content="campaign" shape={{ blockPixels: 420 }} />}
          >
            {() => null}
          </QueryView>
        </>
      }
    >
      <Match when={isUnknown()}>
        {header()}
        <EmptyState title="Campaign not found" actions={<A href={listPath}>All campaigns</A>}>
          {formatSentence(campaign.error?.detail ?? '')}
        </EmptyState>
      </Match>
      <Match when={campaign.data}>
        {(data) => <CampaignBody campaign={data} query={campaign} />}
      </Match>
    </Switch>
  );
}

function DeleteCampaign(props: { campaign: CampaignDetail }): JSX.Element {
  const navigate = useNavigate();
  return (
    <DeleteButton
      kind="danger"
      targets={[getCampaignTarget(props.campaign)]}
      onDeleted={() => navigate(listPath, { replace: true })}
    >
      Delete campaign
    </DeleteButton>
  );
}

interface CampaignBodyProps {
  campaign: Accessor<CampaignDetail>;
  query: QueryState<CampaignDetail>;
}

function CampaignBody(props: CampaignBodyProps): JSX.Element {
  const own = (): CampaignDetail => props.campaign();
  const compared = createCompared(own);
  const set = createCampaignSet(own, compared.campaigns);
  const isAlone = (): boolean => set.campaigns().length === 1;
  return (
    <>
      <PageHeader
        title={
          isAlone()
            ? getCampaignName(own())
            : `${set.campaigns().length} campaigns of ${own().suite}`
        }
        crumbs={crumbs}
        actions={
          <>
            <Show when={isAlone()}>
              <ExportMenu kind="campaign" subjectId={own().campaignId} />
            </Show>
            <ArchiveButton
              subject={set.subject()}
              data={{
                kind: 'campaign',
                subjectIds: set.campaigns().map(({ campaignId }) => campaignId),
              }}
            />
            <Show when={isAlone()}>
              <DeleteCampaign campaign={own()} />
            </Show>
          </>
        }
      />
      <QueryView query={props.query} skeleton={null}>
        {() => (
          <div class="campaign-page">
            <Show
              when={compared.isSettled()}
              fallback={<Skeleton content="campaigns" shape={{ blockPixels: 420 }} />}
            >
              <RefusedLine compared={compared} />
              <Show when={isAlone()} fallback={<ComparedCard set={set} compared={compared} />}>
                <CampaignHead campaign={own()} />
              </Show>
              <CampaignTabs set={set} isAlone={isAlone()} />
            </Show>
          </div>
        )}
      </QueryView>
    </>
  );
}
