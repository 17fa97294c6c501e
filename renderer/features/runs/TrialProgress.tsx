import { Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import './run-counters.css';

interface TrialProgressProps {
  campaign: Pick<CampaignItem, 'status' | 'trials' | 'expectedTrials'>;
}

/** Number of finished trials of the planned ones, with a bar; the number alone where the plan is unknown. */
export function TrialProgress(props: TrialProgressProps): JSX.Element {
  const plannedTrials = (): number =>
    Math.max(props.campaign.expectedTrials, props.campaign.trials);
  const share = (): number => (plannedTrials() === 0 ? 0 : props.campaign.trials / plannedTrials());
  return (
    <span class="run-counters">
      <Show when={props.campaign.expectedTrials > 0}>
        <span class="run-counters-bar" aria-hidden="true">
          <span
            class={`run-counters-part run-counters-${isRunning(props.campaign) ? 'running' : 'completed'}`}
            style={{ flex: `0 0 ${100 * share()}%` }}
          />
        </span>
      </Show>
      <span class="run-counters-total unbroken">
        {formatCount(props.campaign.trials)}
        <Show when={props.campaign.expectedTrials > props.campaign.trials}>
          <small class="muted"> of {formatCount(props.campaign.expectedTrials)}</small>
        </Show>
      </span>
    </span>
  );
}
