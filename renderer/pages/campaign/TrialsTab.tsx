import type { JSX } from 'solid-js';
import type { CampaignDetail, CocoTrial } from '#shared/schemas/coco.ts';
import { call, type QueryValue } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { createExplorer } from '#renderer/features/explorer/explorer.ts';
import { ExplorerView } from '#renderer/features/explorer/ExplorerView.tsx';
import { makeWordFilter } from '#renderer/features/explorer/filters.ts';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { getRunPath } from '#renderer/paths.ts';
import { getTrialFreshness } from './campaign-set.ts';
import { trialColumns } from './trial-columns.tsx';
import { FailedPart } from '#renderer/ui/QueryView.tsx';

/** All trials of a campaign, filtered, sorted and paged by the URL; each links to its run. */
export function TrialsTab(props: { campaign: CampaignDetail }): JSX.Element {
  const params = () => ({ campaignId: props.campaign.campaignId });
  const completeness = useEndpoint('getCompleteness', () => ({
    params: params(),
    ...getTrialFreshness([props.campaign]),
  }));
  const getName = useAlgorithmNames(() => completeness.data?.optimizers ?? []);
  const explorer = createExplorer<CocoTrial>({
    name: 'trials',
    noun: 'trial',
    filters: [
      makeWordFilter(
        'optimizer',
        'Optimizer',
        () => completeness.data?.optimizers,
        (optimizer) => getName()(optimizer),
      ),
      makeWordFilter('functionId', 'Function', () => completeness.data?.functions),
      makeWordFilter('dimension', 'Dimension', () => completeness.data?.dimensions),
      makeWordFilter('reachedTarget', 'Reached target', () => [true, false]),
    ],
    columns: () => trialColumns,
    rowId: (trial) => String(trial.id),
    defaultSort: { column: 'trial', direction: 'asc' },
    defaultSize: 50,
    useRows: (query) =>
      useEndpoint('listTrials', () => ({
        params: params(),
        query: makeTrialQuery(query()),
        ...getTrialFreshness([props.campaign]),
      })),
    fetchRows: (query) => call('listTrials', { params: params(), query: makeTrialQuery(query) }),
  });
  return (
    <div class="campaign-trials">
      <FailedPart
        query={completeness}
        consequence="The choices of optimizers, functions and dimensions could not be loaded"
      />
      <ExplorerView
        explorer={explorer}
        label="Trials of the campaign"
        maxHeight="64vh"
        total={props.campaign.trials || undefined}
        href={(trial) => getRunPath(trial.runId)}
      />
    </div>
  );
}

/**
 * Converts the query for the service: trials that reached their target and those that did not together are all trials.
 */
function makeTrialQuery(
  query: Readonly<Record<string, QueryValue>>,
): Readonly<Record<string, QueryValue>> {
  const reached = [query['reachedTarget'] ?? []].flat();
  return { ...query, reachedTarget: reached.length === 1 ? reached[0] : undefined };
}
