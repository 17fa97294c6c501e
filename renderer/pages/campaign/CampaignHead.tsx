import { Show, type JSX } from 'solid-js';
import { describeCount, formatCount, formatShare } from '#shared/number-format.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { CopyableId } from '#renderer/ui/CopyableId.tsx';
import { Fact, PageFacts, Stat, TimeFact } from '#renderer/ui/Facts.tsx';
import { StatusBadge } from '#renderer/features/runs/StatusBadge.tsx';
import { TrialProgress } from '#renderer/features/runs/TrialProgress.tsx';
import { getFailedTrials, formatPlan } from './campaign-plan.ts';

/** The state of a campaign: its status, its trials, its plan, and the notes of its runner. */
export function CampaignHead(props: { campaign: CampaignDetail }): JSX.Element {
  const failed = (): number => getFailedTrials(props.campaign);
  const isFailed = (): boolean => /^failed$/i.test(props.campaign.status);
  return (
    <PageFacts
      stats={
        <>
          <Stat term="Status">
            <StatusBadge status={props.campaign.status} />
          </Stat>
          <Stat term="Suite" value={props.campaign.suite} />
          <Stat term="Trials">
            <TrialProgress campaign={props.campaign} />
          </Stat>
          <Stat
            term="Solved"
            value={formatCount(props.campaign.reachedTargets)}
            note={
              props.campaign.trials > 0 &&
              formatShare(props.campaign.reachedTargets / props.campaign.trials)
            }
          />
          <Stat term="Failed" note={failed() > 0 && 'excluded from ERT'}>
            <strong classList={{ 'campaign-failed': failed() > 0 }}>{formatCount(failed())}</strong>
          </Stat>
          <Stat term="Optimizers" value={formatCount(props.campaign.optimizerCount)} />
          <Stat term="Functions" value={formatPlan(props.campaign.functionsJson)} />
          <Stat term="Dimensions" value={formatPlan(props.campaign.dimensionsJson)} />
          <Stat term="Instances" value={formatPlan(props.campaign.instancesJson)} />
        </>
      }
      line={
        <>
          <Show when={isFailed()}>
            <p class="notice-line">
              The campaign failed
              {props.campaign.notes ? `: ${props.campaign.notes}` : '. The runner gave no reason.'}
            </p>
          </Show>
          <Show when={!isFailed() && failed() > 0}>
            <p class="notice-line">
              {describeCount(failed(), 'trial')} failed. ERT excludes failed trials; the ECDF and
              tests count them as unsolved. The completeness grid shows them.
            </p>
          </Show>
          <span class="facts-links">
            <TimeFact term="Started" time={props.campaign.startedAt} />
          </span>
        </>
      }
    >
      <div class="facts">
        <Fact term="Campaign">
          <CopyableId id={props.campaign.campaignId} of="campaign" />
        </Fact>
        <TimeFact term="Created" time={props.campaign.createdAt} />
        <TimeFact term="Finished" time={props.campaign.finishedAt} />
        <Show when={!isFailed() && props.campaign.notes}>
          {(notes) => <Fact term="Notes">{notes()}</Fact>}
        </Show>
      </div>
    </PageFacts>
  );
}
