import { createSignal, Show, type JSX } from 'solid-js';
import { describeCount, formatBytes } from '#shared/number-format.ts';
import type { DatabaseChoices } from '#shared/schemas/databases.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { busyWith, openPlace } from '#renderer/features/databases/opening.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import {
  makeNumberColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { Failure } from './Failure.tsx';

type DatabaseFile = DatabaseChoices['files'][number];

const columns: readonly TableColumn<DatabaseFile>[] = [
  makeTextColumn('file', 'File', ({ file }) => file, { fixed: true, maxWidthChars: 48 }),
  makeNumberColumn('size', 'Size', ({ sizeBytes }) => sizeBytes, formatBytes),
  makeTimeColumn('changed', 'Changed', ({ changedAt }) => changedAt),
];

/** The databases of the served folder; in the desktop window, a button to open any file. */
export function FilesCard(props: { choices: DatabaseChoices }): JSX.Element {
  const [failure, setFailure] = createSignal<string | null>(null);
  const open = async (file: string): Promise<void> => {
    if (busyWith() !== null) return;
    setFailure(null);
    setFailure((await openPlace({ file }, file))?.detail ?? null);
  };
  return (
    <Card
      title="Open a file"
      description={
        props.choices.folder === null
          ? 'A SQLite database written by a runner.'
          : `SQLite databases in ${props.choices.folder}. Choose one to open it.`
      }
      flush={props.choices.folder !== null}
    >
      <Failure text={failure()} />
      <Show when={props.choices.folder !== null} fallback={<AnyFile onFile={open} />}>
        <DataTable<DatabaseFile>
          name="database-files"
          urlKey="file-"
          label="SQLite databases"
          columns={columns}
          rows={props.choices.files}
          rowId={({ file }) => file}
          onOpen={({ file }) => void open(file)}
          empty="No SQLite files yet. Put one into the folder, create a database, or create sample data."
          maxHeight="24rem"
          plain
        />
        <Show when={props.choices.filesLeftOut > 0}>
          <p class="welcome-note muted">
            {describeCount(props.choices.filesLeftOut, 'older file')} not shown.
          </p>
        </Show>
      </Show>
    </Card>
  );
}

function AnyFile(props: { onFile: (path: string) => Promise<void> }): JSX.Element {
  const choose = async (): Promise<void> => {
    const path = await getDesktopBridge()?.databases?.chooseFile('open');
    if (path) await props.onFile(path);
  };
  return (
    <div class="drop-zone">
      <Icon name="database" size={20} />
      <p>Drop a file on this page or choose one.</p>
      <Button kind="primary" onClick={() => void choose()}>
        Select file…
      </Button>
    </div>
  );
}
