import { formatShare } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import {
  makeCountColumn,
  makeIdColumn,
  makeLinkColumn,
  makeNumberColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeStatusColumn } from './status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { TrialProgress } from './TrialProgress.tsx';
import { getCampaignName } from '#renderer/names.ts';
import { getCampaignPath } from '#renderer/paths.ts';

/** The columns of the list of campaigns. */
export const campaignColumns: readonly TableColumn<CampaignItem>[] = [
  makeLinkColumn('name', 'Campaign', getCampaignName, {
    href: (row) => getCampaignPath(row.campaignId),
    sortBy: 'name',
    fixed: true,
    maxWidthChars: 34,
  }),
  makeIdColumn('campaign', 'Id', (row) => row.campaignId, 'campaign', {
    isHiddenByDefault: true,
  }),
  makeTextColumn('suite', 'Suite', (row) => row.suite, { fromPixels: 720 }),
  makeStatusColumn((row) => row.status, { sortBy: 'status' }),
  {
    id: 'trials',
    header: 'Trials',
    explanation: 'Finished trials / planned trials',
    value: (row) => row.trials,
    fields: [{ header: 'Planned trials', value: (row) => row.expectedTrials || null }],
    cell: (row) => <TrialProgress campaign={row()} />,
  },
  makeCountColumn('reached', 'Reached target', (row) => row.reachedTargets, {
    fromPixels: 900,
  }),
  makeNumberColumn('success', 'Success', getSuccess, formatShare, {
    explanation: 'Share of the trials that reached their target',
    fromPixels: 1180,
  }),
  makeCountColumn('optimizers', 'Optimizers', (row) => row.optimizerCount, {
    fromPixels: 900,
  }),
  makeTimeColumn('created', 'Created', (row) => row.createdAt, {
    sortBy: 'created_at',
    fromPixels: 1080,
  }),
  makeTimeColumn('started', 'Started', (row) => row.startedAt, {
    sortBy: 'started_at',
    isHiddenByDefault: true,
  }),
  makeTimeColumn('finished', 'Finished', (row) => row.finishedAt, {
    sortBy: 'finished_at',
    fromPixels: 1280,
  }),
];

function getSuccess({ trials, reachedTargets }: CampaignItem): number | null {
  return trials === 0 ? null : reachedTargets / trials;
}
