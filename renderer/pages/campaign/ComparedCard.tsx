import { A, useNavigate } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { makeCountColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { campaignColumns } from '#renderer/features/runs/campaign-columns.tsx';
import { getCampaignPath } from '#renderer/paths.ts';
import { getFailedTrials } from './campaign-plan.ts';
import type { CampaignSet } from './campaign-set.ts';
import { getCampaignName } from '#renderer/names.ts';
import type { ComparedCampaigns } from './compared.ts';

const shared = new Set(['name', 'status', 'trials', 'reached', 'success', 'optimizers']);
const columns: readonly TableColumn<CampaignDetail>[] = [
  ...campaignColumns.filter(({ id }) => shared.has(id)),
  makeCountColumn('failed', 'Failed', getFailedTrials),
];

interface ComparedCardProps {
  set: CampaignSet;
  compared: ComparedCampaigns;
}

/** The campaigns of a comparison, each with its status, a link to its page, and a button to remove it. */
export function ComparedCard(props: ComparedCardProps): JSX.Element {
  const navigate = useNavigate();
  const removeCampaign = (campaignId: string): void => {
    const remaining = props.compared.otherIds().filter((id) => id !== campaignId);
    const [first, ...others] = remaining;
    if (campaignId !== props.set.own().campaignId) props.compared.setOtherIds(remaining);
    else if (first !== undefined) navigate(getCampaignPath(first, others));
  };
  return (
    <DataCard<CampaignDetail>
      name="compared-campaigns"
      urlKey="compared-"
      title="Compared campaigns"
      description={
        <>
          Optimizers are shown side by side; equal names are suffixed with the campaign.{' '}
          <A href="/coco">Change selection</A>
        </>
      }
      columns={columns}
      rows={props.set.campaigns()}
      rowId={({ campaignId }) => campaignId}
      actions={(campaign, context) => (
        <Button
          size="small"
          kind="quiet"
          tabIndex={context.tabIndex()}
          aria-label={`Remove ${getCampaignName(campaign())}`}
          onClick={() => removeCampaign(campaign().campaignId)}
        >
          Remove
        </Button>
      )}
      empty={null}
    />
  );
}

/** The campaigns in the URL that cannot be compared, with reasons. */
export function RefusedLine(props: { compared: ComparedCampaigns }): JSX.Element {
  const ids = (): readonly string[] => props.compared.refused().map((one) => one.campaignId);
  return (
    <Show when={props.compared.refused().length > 0}>
      <p class="notice-line">
        {`${describeCount(ids().length, 'campaign')} not compared: `}
        {props.compared
          .refused()
          .map(({ campaignId, reason }) => `${campaignId} (${reason})`)
          .join('; ')}{' '}
        <Button
          size="small"
          onClick={() =>
            props.compared.setOtherIds(
              props.compared.otherIds().filter((id) => !ids().includes(id)),
            )
          }
        >
          Remove from the link
        </Button>
      </p>
    </Show>
  );
}
