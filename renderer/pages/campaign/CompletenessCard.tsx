import { Show, type JSX } from 'solid-js';
import { describeCount, formatCount } from '#shared/number-format.ts';
import type { CampaignCompleteness, CampaignDetail } from '#shared/schemas/coco.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { getCampaignName } from '#renderer/names.ts';
import { getTrialFreshness } from './campaign-set.ts';
import { CompletenessGrid } from './CompletenessGrid.tsx';

/**
 * Returns the number of trials of a complete cell in words. The cells of imported data differ: it is that of the first
 * complete one, or 0 without one.
 */
function getWholeCell({ planSource, instances, repetitions, cells }: CampaignCompleteness): string {
  const first = cells.find(({ present, expected }) => present === expected)?.expected ?? 0;
  return formatCount(planSource === 'data' ? first : instances.length * repetitions);
}

function describeWhole({ planSource, instances, repetitions }: CampaignCompleteness): string {
  if (planSource === 'data') return 'complete';
  const repeated = repetitions > 1 ? ` × ${describeCount(repetitions, 'repetition')}` : '';
  return `complete: ${describeCount(instances.length, 'instance')}${repeated}`;
}

interface CompletenessCardProps {
  campaign: CampaignDetail;
  /** Whether the page has other campaigns too. The title then names this one. */
  isOneOfMany: boolean;
}

/** Number of trials of a campaign per optimizer, dimension and function, with failed ones counted separately. */
export function CompletenessCard(props: CompletenessCardProps): JSX.Element {
  const completeness = useEndpoint('getCompleteness', () => ({
    params: { campaignId: props.campaign.campaignId },
    ...getTrialFreshness([props.campaign]),
  }));
  useTableExhibits(
    'getCompleteness',
    [{ table: 'cells', id: 'completeness', title: 'Completeness' }],
    () => (props.isOneOfMany ? undefined : { params: { campaignId: props.campaign.campaignId } }),
    () => 'Trials expected and present per optimizer, dimension and function.',
  );
  const title = (): string =>
    props.isOneOfMany ? `Completeness of ${getCampaignName(props.campaign)}` : 'Completeness';
  return (
    <Card
      title={title()}
      description="Finished trials per optimizer, dimension and function; click a cell to list them"
    >
      <QueryView
        query={completeness}
        skeleton={<Skeleton content="numbers of trials" shape="table" count={6} />}
      >
        {(response) => (
          <Show
            when={response().cells.length > 0}
            fallback={<p class="muted">No plan and no trials in this campaign.</p>}
          >
            <CompletenessGrid completeness={response()} />
            <ul class="completeness-key">
              <li>
                <span class="completeness-sample completeness-whole">
                  {getWholeCell(response())}
                </span>
                {describeWhole(response())} (stronger colour = more trials solved)
              </li>
              <li>
                <span class="completeness-sample completeness-part">2/3</span> incomplete
              </li>
              <li>
                <span class="completeness-sample completeness-failed">2/3 ✕1</span> with failures
              </li>
            </ul>
          </Show>
        )}
      </QueryView>
    </Card>
  );
}
