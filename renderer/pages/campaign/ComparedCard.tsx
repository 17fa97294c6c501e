import { A, useNavigate } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import { countOf, formatCount, formatShare } from '#shared/number-format.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import { TrialProgress } from '#renderer/components/TrialProgress.tsx';
import { campaignPath } from '#renderer/paths.ts';
import { failedTrials } from './campaign-plan.ts';
import type { CampaignSet } from './campaign-set.ts';
import { HeadsWithTerms } from '#renderer/components/TermCard.tsx';
import { campaignName } from '#renderer/components/names.ts';
import type { Compared } from './compared.ts';

const heads = ['Campaign', 'Status', 'Trials', 'Reached target', 'Failed', 'Optimizers'];

interface ComparedCardProps {
  set: CampaignSet;
  compared: Compared;
}

/** The campaigns of a comparison, each with how it stands, a link to its own page, and a way to leave it out. */
export function ComparedCard(props: ComparedCardProps): JSX.Element {
  const navigate = useNavigate();
  const leaveOut = (campaignId: string): void => {
    const asked = props.compared.asked().filter((id) => id !== campaignId);
    const [first, ...others] = asked;
    if (campaignId !== props.set.own().campaignId) props.compared.setAsked(asked);
    else if (first !== undefined) navigate(campaignPath(first, others));
  };
  return (
    <Card
      title="Compared campaigns"
      description={
        <>
          Their optimizers stand beside each other; those of one name are told apart by their
          campaign. <A href="/coco">Choose others</A>
        </>
      }
      flush
    >
      <div class="table-scroll">
        <table class="table compared" aria-label="Compared campaigns">
          <thead>
            <tr>
              <HeadsWithTerms texts={heads} />
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.set.campaigns()}>
              {(campaign) => (
                <CampaignRow campaign={campaign} onLeaveOut={() => leaveOut(campaign.campaignId)} />
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function CampaignRow(props: { campaign: CampaignDetail; onLeaveOut: () => void }): JSX.Element {
  return (
    <tr>
      <td>
        <A href={campaignPath(props.campaign.campaignId)}>{campaignName(props.campaign)}</A>
      </td>
      <td>
        <StatusBadge status={props.campaign.status} />
      </td>
      <td>
        <TrialProgress campaign={props.campaign} />
      </td>
      <td>
        {formatCount(props.campaign.reachedTargets)}{' '}
        <Show when={props.campaign.trials > 0}>
          <small class="muted">
            {formatShare(props.campaign.reachedTargets / props.campaign.trials)}
          </small>
        </Show>
      </td>
      <td>{formatCount(failedTrials(props.campaign))}</td>
      <td>{formatCount(props.campaign.optimizerCount)}</td>
      <td>
        <Button
          size="small"
          kind="quiet"
          aria-label={`Leave out ${campaignName(props.campaign)}`}
          onClick={() => props.onLeaveOut()}
        >
          Leave out
        </Button>
      </td>
    </tr>
  );
}

/** What the address asks for and cannot stand here, and why. */
export function RefusedLine(props: { compared: Compared }): JSX.Element {
  const ids = (): readonly string[] => props.compared.refused().map((one) => one.campaignId);
  return (
    <Show when={props.compared.refused().length > 0}>
      <p class="notice-line">
        {`${countOf(ids().length, 'campaign')} left out: `}
        {props.compared
          .refused()
          .map(({ campaignId, reason }) => `${campaignId} (${reason})`)
          .join('; ')}{' '}
        <Button
          size="small"
          onClick={() =>
            props.compared.setAsked(props.compared.asked().filter((id) => !ids().includes(id)))
          }
        >
          Drop from the address
        </Button>
      </p>
    </Show>
  );
}
