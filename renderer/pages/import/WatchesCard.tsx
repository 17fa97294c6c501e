import { useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { ImportNote, ImportState, WatchState } from '#shared/schemas/import.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { getDataSetExperimentsPath } from '#renderer/paths.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import {
  makeCountColumn,
  makeLinkColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { NotesCard } from './Findings.tsx';

/** An import that watches a folder. */
type Watch = ImportState & { watch: WatchState };

const columns: readonly TableColumn<Watch>[] = [
  makeLinkColumn('folder', 'Folder', (row) => row.source, {
    href: (row) => getDataSetExperimentsPath(row.watch.dataSet),
    text: (row) => row.source,
    fixed: true,
    maxWidthChars: 48,
  }),
  makeTextColumn('state', 'State', describeState),
  makeCountColumn('runs', 'Runs', (row) => row.watch.runs),
  makeCountColumn('running', 'Running', (row) => row.watch.running),
  makeCountColumn('rows', 'New rows', (row) => row.watch.addedRows),
  makeTimeColumn('changed', 'Last change', (row) => row.watch.changedAt),
];

function describeState({ status, watch }: Watch): string {
  if (status !== 'running') return 'Ended';
  if (watch.problem !== null) return 'Interrupted';
  if (watch.runs > 0) return 'Watching';
  return watch.files === 0 ? 'Waiting for files' : 'Waiting for rows';
}

/** Lists the folders that the service watches or has watched; nothing without any. */
export function WatchesCard(): JSX.Element {
  const imports = useEndpoint('listImports');
  return (
    <QueryView query={imports} skeleton={null}>
      {(list) => (
        <Show when={list().filter(isWatch).length > 0}>
          <WatchList watches={list().filter(isWatch)} />
        </Show>
      )}
    </QueryView>
  );
}

function WatchList(props: { watches: readonly Watch[] }): JSX.Element {
  const problems = createMemo(() => props.watches.flatMap(listProblems));
  const notes = createMemo((): ImportNote[] =>
    props.watches.flatMap(({ watch, status }) => (status === 'running' ? watch.notes : [])),
  );
  return (
    <>
      <Card
        title="Watched folders"
        description="Rows appear while they are written. Watching ends when you stop it, when another database is opened and when the service ends; it does not begin again after a restart."
        flush
      >
        <DataTable<Watch>
          name="watched-folders"
          urlKey="watch-"
          label="Watched folders"
          columns={columns}
          rows={props.watches}
          rowId={(row) => row.importId}
          actions={(row, context) => (
            <Show when={row().status === 'running'}>
              <StopButton watch={row()} tabIndex={context.tabIndex()} />
            </Show>
          )}
          empty={null}
          plain
        />
        <For each={problems()}>{(problem) => <p class="notice-line">{problem}</p>}</For>
      </Card>
      <NotesCard notes={notes()} />
    </>
  );
}

function isWatch(state: ImportState): state is Watch {
  return state.watch !== null;
}

function listProblems({ source, status, watch, failure }: Watch): string[] {
  if (status === 'failed') return [`${source}: ${failure?.detail ?? ''}`];
  return status === 'running' && watch.problem !== null ? [watch.problem] : [];
}

function StopButton(props: { watch: Watch; tabIndex: 0 | -1 }): JSX.Element {
  const client = useQueryClient();
  const [isStopping, setStopping] = createSignal(false);
  const [failure, setFailure] = createSignal<ProblemError>();
  const stop = async (): Promise<void> => {
    setStopping(true);
    try {
      await call('cancelImport', { params: { importId: props.watch.importId } });
      await wakeQueries(client, 'all');
    } catch (error) {
      setFailure(asProblemError(error));
    } finally {
      setStopping(false);
    }
  };
  return (
    <>
      <Button
        size="small"
        tabIndex={props.tabIndex}
        aria-label={`Stop watching ${props.watch.source}`}
        disabledReason={isStopping() ? 'The folder is being read a last time.' : undefined}
        onClick={() => void stop()}
      >
        Stop watching
      </Button>
      <Show when={failure()}>{(error) => <FailureLine error={error()} />}</Show>
    </>
  );
}
