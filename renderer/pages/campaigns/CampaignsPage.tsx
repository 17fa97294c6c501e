import { useNavigate } from '@solidjs/router';
import type { JSX } from 'solid-js';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { DeleteButton } from '#renderer/features/stop-and-delete/DeleteDialog.tsx';
import { createExplorer } from '#renderer/features/explorer/explorer.ts';
import { ExplorerView } from '#renderer/features/explorer/ExplorerView.tsx';
import { makeWordFilter } from '#renderer/features/explorer/filters.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { getCampaignName } from '#renderer/names.ts';
import { getCampaignTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { getCampaignPath } from '#renderer/paths.ts';
import { campaignColumns } from '#renderer/features/runs/campaign-columns.tsx';
import { getReasonNotToCompare } from './comparable.ts';

/** All COCO campaigns of the database, filtered, sorted and paged by the URL. */
export function CampaignsPage(): JSX.Element {
  const summary = useEndpoint('getSummary');
  const explorer = createExplorer<CampaignItem>({
    name: 'campaigns',
    noun: 'campaign',
    filters: [
      { kind: 'search', label: 'Search campaigns', placeholder: 'Search ids, names, notes' },
      makeWordFilter('status', 'Status', (facets) => facets?.campaignStatuses),
      makeWordFilter('suite', 'Suite', (facets) => facets?.suites),
    ],
    columns: () => campaignColumns,
    rowId: (row) => row.campaignId,
    defaultSort: { column: 'created', direction: 'desc' },
    useRows: (query) => useEndpoint('listCampaigns', () => ({ query: query() })),
    fetchRows: (query) => call('listCampaigns', { query }),
  });
  const unselect = (ids: readonly string[]): void => {
    const { selected, setSelected } = explorer.table;
    setSelected(new Map([...selected()].filter(([id]) => !ids.includes(id))));
  };
  return (
    <>
      <PageHeader title="COCO campaigns" />
      <ExplorerView
        explorer={explorer}
        label="COCO campaigns"
        selectable
        total={summary.data?.campaignCount}
        sampleCommand="npm run sample -- --coco"
        href={(row) => getCampaignPath(row.campaignId)}
        actions={(row, context) => (
          <DeleteButton
            size="small"
            tabIndex={context.tabIndex()}
            aria-label={`Delete ${getCampaignName(row())}`}
            targets={[getCampaignTarget(row())]}
            onDeleted={unselect}
          >
            Delete
          </DeleteButton>
        )}
        selectedActions={<CompareButton selected={[...explorer.table.selected().values()]} />}
      />
    </>
  );
}

/** Opens the page that compares the selected campaigns. */
function CompareButton(props: { selected: readonly CampaignItem[] }): JSX.Element {
  const navigate = useNavigate();
  const open = (): void => {
    const [first, ...others] = props.selected.map(({ campaignId }) => campaignId);
    if (first !== undefined) navigate(getCampaignPath(first, others));
  };
  return (
    <Button kind="primary" disabledReason={getReasonNotToCompare(props.selected)} onClick={open}>
      Compare
    </Button>
  );
}
