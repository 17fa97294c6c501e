import { A } from '@solidjs/router';
import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { ImportNote, ImportResult } from '#shared/schemas/import.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { countColumn, monoColumn, textColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getCampaignPath, getDataSetExperimentsPath } from '#renderer/paths.ts';
import { groupNotes, type NoteGroup } from './note-groups.ts';

type FoundCampaign = ImportResult['campaigns'][number];

const outsideSuites = 'no suite';

const countColumns: readonly TableColumn<FoundCampaign>[] = [
  countColumn('optimizers', 'Optimizers', (row) => row.optimizers),
  countColumn('experiments', 'Experiments', (row) => row.experiments),
  countColumn('runs', 'Runs', (row) => row.runs),
  countColumn('iterations', 'Iterations', (row) => row.iterations),
];

/** Campaigns of a data set; after the import with links to their pages. */
export function FoundTable(props: { result: ImportResult; isDone: boolean }): JSX.Element {
  const suite: TableColumn<FoundCampaign> = textColumn(
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
  textColumn('what', 'What', (group) => group.message, { maxWidthChars: 64 }),
  countColumn('files', 'Files', (group) => group.files),
  monoColumn('file', 'First file', (group) => group.file, { maxWidthChars: 36 }),
  countColumn('count', 'Times', (group) => group.count),
  monoColumn('code', 'Code', (group) => group.code, { maxWidthChars: 30, fromPixels: 1500 }),
];

const noteColumns: readonly TableColumn<ImportNote>[] = [
  textColumn('what', 'What', (note) => note.message, { maxWidthChars: 64 }),
  monoColumn('file', 'File', (note) => note.file, { maxWidthChars: 36 }),
  countColumn('line', 'First line', (note) => note.line),
  countColumn('count', 'Times', (note) => note.count),
  monoColumn('code', 'Code', (note) => note.code, { maxWidthChars: 30, fromPixels: 1500 }),
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
