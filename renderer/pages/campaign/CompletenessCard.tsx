import { Show, type JSX } from 'solid-js';
import { countOf, formatCount } from '#shared/number-format.ts';
import type { CampaignCompleteness, CampaignDetail } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { Card } from '#renderer/components/Card.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { campaignName } from '#renderer/components/names.ts';
import { CompletenessGrid } from './CompletenessGrid.tsx';

/** How many trials a cell has that is complete; of imported data that differs between optimizers. */
function wholeCell({ planSource, instances, repetitions, cells }: CampaignCompleteness): string {
  const usual = cells.find(({ present, expected }) => present === expected)?.expected ?? 0;
  return formatCount(planSource === 'data' ? usual : instances.length * repetitions);
}

function wholeWords({ planSource, instances, repetitions }: CampaignCompleteness): string {
  if (planSource === 'data') return 'as many trials as the optimizer has elsewhere';
  const repeated = repetitions > 1 ? ` × ${countOf(repetitions, 'repetition')}` : '';
  return `all trials of ${countOf(instances.length, 'instance')}${repeated}`;
}

interface CompletenessCardProps {
  campaign: CampaignDetail;
  /** Names the campaign. */
  isOneOfMany: boolean;
}

/** The trials of a campaign, counted per optimizer, dimension and function; those that failed apart. */
export function CompletenessCard(props: CompletenessCardProps): JSX.Element {
  const completeness = useEndpoint('getCompleteness', () => ({
    params: { campaignId: props.campaign.campaignId },
    live: isRunning(props.campaign),
  }));
  useTableExhibits(
    'getCompleteness',
    [{ table: 'cells', id: 'completeness', title: 'Completeness' }],
    () => (props.isOneOfMany ? undefined : { params: { campaignId: props.campaign.campaignId } }),
    () => 'Trials expected and present per optimizer, dimension and function.',
  );
  const title = (): string =>
    props.isOneOfMany ? `Completeness of ${campaignName(props.campaign)}` : 'Completeness';
  return (
    <Card
      title={title()}
      description="Trials that ended per optimizer, dimension and function; a cell leads to its trials"
    >
      <QueryView query={completeness} skeleton={<Skeleton shape="table" count={6} />}>
        {(answer) => (
          <Show
            when={answer().cells.length > 0}
            fallback={<p class="muted">The campaign has neither a plan nor trials.</p>}
          >
            <CompletenessGrid completeness={answer()} />
            <ul class="completeness-key">
              <li>
                <span class="completeness-sample completeness-whole">{wholeCell(answer())}</span>
                {wholeWords(answer())}; the darker, the more reached their target
              </li>
              <li>
                <span class="completeness-sample completeness-part">2/3</span> not all of them yet
              </li>
              <li>
                <span class="completeness-sample completeness-failed">2/3 ✕1</span> some failed
              </li>
            </ul>
          </Show>
        )}
      </QueryView>
    </Card>
  );
}
