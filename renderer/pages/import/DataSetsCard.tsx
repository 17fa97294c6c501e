import { A } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import type { DataSet } from '#shared/schemas/import.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { DeleteButton } from '#renderer/features/stop-and-delete/DeleteDialog.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import {
  makeCountColumn,
  makeLinkColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getCampaignPath, getDataSetExperimentsPath } from '#renderer/paths.ts';
import type { SourceProps } from './import-state.ts';

const columns: readonly TableColumn<DataSet>[] = [
  makeLinkColumn('name', 'Data set', (row) => row.name, {
    href: (row) => getDataSetExperimentsPath(row.name),
    text: (row) => row.name,
    fixed: true,
    maxWidthChars: 40,
  }),
  makeTextColumn(
    'campaigns',
    'Campaigns',
    (row) => row.campaigns.map(({ suite }) => suite).join(', '),
    {
      maxWidthChars: 60,
      cell: (row, context) => (
        <For each={row().campaigns} fallback={<span class="muted">none</span>}>
          {({ campaignId, suite }, index) => (
            <>
              {index() > 0 ? ', ' : ''}
              <A href={getCampaignPath(campaignId)} tabIndex={context.tabIndex()}>
                {suite}
              </A>
            </>
          )}
        </For>
      ),
    },
  ),
  makeCountColumn('experiments', 'Experiments', (row) => row.experimentCount),
  makeCountColumn('runs', 'Runs', (row) => row.runCount),
  makeTimeColumn('imported', 'Imported', (row) => row.importedAt),
];

/** Lists the imported data sets; without any, offers sample data. */
export function DataSetsCard(props: SourceProps): JSX.Element {
  const dataSets = useEndpoint('listDataSets');
  return (
    <QueryView query={dataSets} skeleton={<Skeleton content="data sets" shape="table" count={2} />}>
      {(list) => (
        <Show when={list().length > 0} fallback={<SampleOffer {...props} />}>
          <Card
            title="Imported data sets"
            description="Open one to see its experiments and campaigns. Deleting removes all of it."
            flush
          >
            <DataTable<DataSet>
              name="data-sets"
              urlKey="set-"
              label="Data sets"
              columns={columns}
              rows={list()}
              rowId={(row) => row.name}
              actions={(row, context) => (
                <DeleteButton
                  size="small"
                  tabIndex={context.tabIndex()}
                  aria-label={`Delete data set ${row().name}`}
                  targets={[{ kind: 'data set', id: row().name, name: row().name }]}
                  onDeleted={() => undefined}
                >
                  Delete
                </DeleteButton>
              )}
              empty={null}
              plain
            />
          </Card>
        </Show>
      )}
    </QueryView>
  );
}

function SampleOffer(props: SourceProps): JSX.Element {
  return (
    <Show when={props.page.step().kind === 'choose'}>
      <EmptyState
        title="No data imported yet"
        actions={
          <Button
            disabledReason={props.disabledReason}
            onClick={() => props.page.choose({ sample: true })}
          >
            Load sample campaign
          </Button>
        }
      >
        Want an example? Five algorithms on six BBOB functions, 735 runs.
      </EmptyState>
    </Show>
  );
}
