import { A } from '@solidjs/router';
import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { ImportNote, ImportResult } from '#shared/schemas/import.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import {
  makeCountColumn,
  makeMonoColumn,
  makeTextColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getCampaignPath, getDataSetExperimentsPath } from '#renderer/paths.ts';
import { groupNotes, type NoteGroup } from './note-groups.ts';

type FoundCampaign = ImportResult['campaigns'][number];

const outsideSuites = 'no suite';

const countColumns: readonly TableColumn<FoundCampaign>[] = [
  makeCountColumn('optimizers', 'Optimizers', (row) => row.optimizers),
  makeCountColumn('experiments', 'Experiments', (row) => row.experiments),
  makeCountColumn('runs', 'Runs', (row) => row.runs),
  makeCountColumn('iterations', 'Iterations', (row) => row.iterations),
];

/** Campaigns of a data set; after the import with links to their pages. */
export function FoundTable(props: { result: ImportResult; isDone: boolean }): JSX.Element {
  const suite: TableColumn<FoundCampaign> = makeTextColumn(
    'suite',
    'Suite',
    (row) => row.suite ?? outsideSuites,
    {
      maxWidthChars: 40,
      cell: (row, context) => (
        <Show when={props.isDone} fallback={row().suite ?? `${outsideSuites}: experiments only`}>
          <A href={getHref(row(), props.result)} tabIndex={context.tabIndex()}>
            {row().suite ?? 'experiments of no suite'}
          </A>
        </Show>
      ),
    },
  );
  return (
    <DataTable<FoundCampaign>
      name="imported-campaigns"
      urlKey="found-"
      label="Contents of the data set"
      columns={[suite, ...countColumns]}
      rows={props.result.campaigns}
      rowId={(row) => row.campaignId ?? outsideSuites}
      empty="No runs found."
      plain
    />
  );
}

function getHref({ campaignId }: FoundCampaign, { dataset }: ImportResult): string {
  return campaignId === null ? getDataSetExperimentsPath(dataset) : getCampaignPath(campaignId);
}

const groupColumns: readonly TableColumn<NoteGroup>[] = [
  makeTextColumn('what', 'What', (group) => group.message, { maxWidthChars: 64 }),
  makeCountColumn('files', 'Files', (group) => group.files),
  makeMonoColumn('file', 'First file', (group) => group.file, { maxWidthChars: 36 }),
  makeCountColumn('count', 'Times', (group) => group.count),
  makeMonoColumn('code', 'Code', (group) => group.code, { maxWidthChars: 30, fromPixels: 1500 }),
];

const noteColumns: readonly TableColumn<ImportNote>[] = [
  makeTextColumn('what', 'What', (note) => note.message, { maxWidthChars: 64 }),
  makeMonoColumn('file', 'File', (note) => note.file, { maxWidthChars: 36 }),
  makeCountColumn('line', 'First line', (note) => note.line),
  makeCountColumn('count', 'Times', (note) => note.count),
  makeMonoColumn('code', 'Code', (note) => note.code, { maxWidthChars: 30, fromPixels: 1500 }),
];

/** Notes on a source, file by file and line by line; nothing without notes. */
export function NotesCard(props: { notes: readonly ImportNote[] }): JSX.Element {
  const [isByFile, setByFile] = createSignal(false);
  const groups = createMemo(() => groupNotes(props.notes));
  const isGrouped = (): boolean => groups().length < props.notes.length && !isByFile();
  return (
    <Show when={props.notes.length > 0}>
      <Card
        title="Import notes"
        description={`${describeCount(props.notes.length, 'note')} on skipped files and assumptions. They are stored with the data set.`}
        controls={
          <Show when={groups().length < props.notes.length}>
            <Button size="small" pressed={isByFile()} onClick={() => setByFile(!isByFile())}>
              Show each file
            </Button>
          </Show>
        }
      >
        <Show
          when={isGrouped()}
          fallback={
            <DataTable<ImportNote>
              name="import-notes"
              urlKey="note-"
              label="Notes"
              columns={noteColumns}
              rows={props.notes}
              rowId={(note) => `${note.code} ${note.file ?? ''}`}
              empty="No notes."
            />
          }
        >
          <DataTable<NoteGroup>
            name="import-note-groups"
            urlKey="notes-"
            label="Notes by kind"
            columns={groupColumns}
            rows={groups()}
            rowId={(group) => group.code}
            empty="No notes."
          />
        </Show>
      </Card>
    </Show>
  );
}
