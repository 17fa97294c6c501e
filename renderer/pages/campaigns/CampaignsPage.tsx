import type { JSX } from 'solid-js';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { campaignName, campaignTarget } from '#renderer/components/campaign-name.ts';
import { DeleteButton } from '#renderer/components/deletion/DeleteDialog.tsx';
import { createExplorer } from '#renderer/components/explorer/explorer.ts';
import { ExplorerView } from '#renderer/components/explorer/ExplorerView.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { campaignPath } from '#renderer/paths.ts';
import { campaignColumns } from './campaign-columns.tsx';

/** All COCO campaigns of the database, filtered, sorted and paged by the URL. */
export function CampaignsPage(): JSX.Element {
  const summary = useEndpoint('getSummary');
  const explorer = createExplorer<CampaignItem>({
    name: 'campaigns',
    noun: 'campaign',
    filters: [
      { kind: 'search', label: 'Search campaigns', placeholder: 'Search ids, names, notes' },
      {
        kind: 'choice',
        name: 'status',
        label: 'Status',
        options: (facets) => (facets?.campaignStatuses ?? []).map((value) => ({ value })),
      },
      {
        kind: 'choice',
        name: 'suite',
        label: 'Suite',
        options: (facets) => (facets?.suites ?? []).map((value) => ({ value })),
      },
    ],
    columns: () => campaignColumns,
    rowId: (row) => row.campaignId,
    defaultSort: { column: 'created', direction: 'desc' },
    useRows: (query) => useEndpoint('listCampaigns', () => ({ query: query() })),
    fetchRows: (query) => call('listCampaigns', { query }),
  });
  return (
    <>
      <PageHeader title="COCO campaigns" />
      <ExplorerView
        explorer={explorer}
        label="COCO campaigns"
        total={summary.data?.campaignCount}
        sampleCommand="npm run sample -- --coco"
        href={(row) => campaignPath(row.campaignId)}
        actions={(row, context) => (
          <DeleteButton
            size="small"
            tabIndex={context.tabIndex()}
            aria-label={`Delete ${campaignName(row())}`}
            targets={[campaignTarget(row())]}
            onGone={() => undefined}
          >
            Delete
          </DeleteButton>
        )}
      />
    </>
  );
}
