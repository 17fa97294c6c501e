import { formatShare } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import {
  countColumn,
  idColumn,
  linkColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { statusColumn } from './status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { TrialProgress } from './TrialProgress.tsx';
import { campaignName } from '#renderer/names.ts';
import { campaignPath } from '#renderer/paths.ts';

/** The columns of the list of campaigns. */
export const campaignColumns: readonly TableColumn<CampaignItem>[] = [
  linkColumn('name', 'Campaign', campaignName, {
    href: (row) => campaignPath(row.campaignId),
    sortBy: 'name',
    fixed: true,
    maxWidthChars: 34,
  }),
  idColumn('campaign', 'Id', (row) => row.campaignId, 'campaign', {
    hiddenAtFirst: true,
  }),
  textColumn('suite', 'Suite', (row) => row.suite, { fromPixels: 720 }),
  statusColumn((row) => row.status, { sortBy: 'status' }),
  {
    id: 'trials',
    header: 'Trials',
    explanation: 'Finished trials / planned trials',
    value: (row) => row.trials,
    fields: [{ header: 'Planned trials', value: (row) => row.expectedTrials || null }],
    cell: (row) => <TrialProgress campaign={row()} />,
  },
  countColumn('reached', 'Reached target', (row) => row.reachedTargets, {
    fromPixels: 900,
  }),
  numberColumn('success', 'Success', getSuccess, formatShare, {
    explanation: 'Share of the trials that reached their target',
    fromPixels: 1180,
  }),
  countColumn('optimizers', 'Optimizers', (row) => row.optimizerCount, {
    fromPixels: 900,
  }),
  timeColumn('created', 'Created', (row) => row.createdAt, {
    sortBy: 'created_at',
    fromPixels: 1080,
  }),
  timeColumn('started', 'Started', (row) => row.startedAt, {
    sortBy: 'started_at',
    hiddenAtFirst: true,
  }),
  timeColumn('finished', 'Finished', (row) => row.finishedAt, {
    sortBy: 'finished_at',
    fromPixels: 1280,
  }),
];

function getSuccess({ trials, reachedTargets }: CampaignItem): number | null {
  return trials === 0 ? null : reachedTargets / trials;
}
