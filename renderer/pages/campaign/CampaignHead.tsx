import { Show, type JSX } from 'solid-js';
import { countOf, formatCount, formatShare } from '#shared/number-format.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { CopyableId } from '#renderer/components/CopyableId.tsx';
import { Fact, Stat } from '#renderer/components/Facts.tsx';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import { formatFullTime, formatMinute } from '#renderer/components/time.ts';
import { TrialProgress } from '#renderer/components/TrialProgress.tsx';
import { failedTrials, planText } from './campaign-plan.ts';

/** How a campaign stands: its status, its trials, its plan, and what its runner says of it. */
export function CampaignHead(props: { campaign: CampaignDetail }): JSX.Element {
  const failed = (): number => failedTrials(props.campaign);
  const isFailed = (): boolean => /^failed$/i.test(props.campaign.status);
  return (
    <div class="campaign-head">
      <dl class="stat-strip">
        <Stat term="Status">
          <StatusBadge status={props.campaign.status} />
        </Stat>
        <Stat term="Suite">
          <strong>{props.campaign.suite}</strong>
        </Stat>
        <Stat term="Trials">
          <TrialProgress campaign={props.campaign} />
        </Stat>
        <Stat term="Solved">
          <strong>{formatCount(props.campaign.reachedTargets)}</strong>
          <Show when={props.campaign.trials > 0}>
            <small>{formatShare(props.campaign.reachedTargets / props.campaign.trials)}</small>
          </Show>
        </Stat>
        <Stat term="Failed">
          <strong classList={{ 'campaign-failed': failed() > 0 }}>{formatCount(failed())}</strong>
          <Show when={failed() > 0}>
            <small>left out of all figures</small>
          </Show>
        </Stat>
        <Stat term="Optimizers">
          <strong>{formatCount(props.campaign.optimizerCount)}</strong>
        </Stat>
        <Stat term="Functions">
          <strong>{planText(props.campaign.functionsJson)}</strong>
        </Stat>
        <Stat term="Dimensions">
          <strong>{planText(props.campaign.dimensionsJson)}</strong>
        </Stat>
        <Stat term="Instances">
          <strong>{planText(props.campaign.instancesJson)}</strong>
        </Stat>
      </dl>
      <Show when={isFailed()}>
        <p class="notice-line">
          The campaign failed
          {props.campaign.notes ? `: ${props.campaign.notes}` : '; its runner left no reason.'}
        </p>
      </Show>
      <Show when={!isFailed() && failed() > 0}>
        <p class="notice-line">
          {countOf(failed(), 'trial')} failed. That is no result of an optimizer, so they are left
          out of ERT and ECDF; the completeness grid shows where they are.
        </p>
      </Show>
      <div class="facts">
        <Fact term="Campaign">
          <CopyableId id={props.campaign.campaignId} of="campaign" />
        </Fact>
        <Time term="Created" time={props.campaign.createdAt} />
        <Time term="Started" time={props.campaign.startedAt} />
        <Time term="Finished" time={props.campaign.finishedAt} />
        <Show when={!isFailed() && props.campaign.notes}>
          {(notes) => <Fact term="Notes">{notes()}</Fact>}
        </Show>
      </div>
    </div>
  );
}

function Time(props: { term: string; time: string | null }): JSX.Element {
  return (
    <Fact term={props.term}>
      <Show when={props.time} fallback={<span>not yet</span>}>
        {(time) => <span title={formatFullTime(time())}>{formatMinute(time())}</span>}
      </Show>
    </Fact>
  );
}
