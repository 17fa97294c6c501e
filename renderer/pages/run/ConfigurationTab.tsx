import { useSearchParams } from '@solidjs/router';
import { createMemo, For, type JSX } from 'solid-js';
import type { ParamRow, RunDetail } from '#shared/schemas/run.ts';
import { useRunParams } from '#renderer/api/queries.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { copyText, downloadText } from '#renderer/components/clipboard.ts';
import { DataTable } from '#renderer/components/DataTable.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { TextField } from '#renderer/components/TextField.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import { JsonView } from './JsonView.tsx';
import { matchingParams, paramValue } from './param-rows.ts';
import type { RunView } from './run-view.ts';

interface ConfigurationTabProps {
  run: RunDetail;
  view: RunView;
}

const paramColumns: readonly TableColumn<ParamRow>[] = [
  { id: 'section', header: 'Section', hiddenAtFirst: true, value: (row) => row.section },
  {
    id: 'path',
    header: 'Path',
    fixed: true,
    value: (row) => row.paramPath,
    cell: (row) => <span class="mono">{row().paramPath}</span>,
  },
  { id: 'type', header: 'Type', value: (row) => row.valueType },
  {
    id: 'value',
    header: 'Value',
    maxWidthChars: 40,
    value: paramValue,
    cell: (row) => (
      <span class="mono" title={String(paramValue(row()))}>
        {paramValue(row())}
      </span>
    ),
  },
];

/** The configuration of a run as it was written, and flattened into parameters. */
export function ConfigurationTab(props: ConfigurationTabProps): JSX.Element {
  const params = useRunParams(() => props.run.runId);
  const [, setSearch] = useSearchParams();
  return (
    <div class="config-grid">
      <SourceCard
        run={props.run}
        format={props.view.configFormat}
        onFormat={(format) =>
          setSearch({ format: format === 'yaml' ? undefined : format }, { replace: true })
        }
      />
      <Card
        title="Parameters"
        description="The configuration flattened, one line per value; lists and groups as JSON"
        flush
      >
        <QueryView query={params} skeleton={<Skeleton shape="table" count={14} />}>
          {(rows) => (
            <ParamTable
              params={rows()}
              search={props.view.paramSearch}
              onSearch={(text) => setSearch({ find: text || undefined }, { replace: true })}
            />
          )}
        </QueryView>
      </Card>
    </div>
  );
}

interface SourceCardProps {
  run: RunDetail;
  format: RunView['configFormat'];
  onFormat: (format: RunView['configFormat']) => void;
}

function SourceCard(props: SourceCardProps): JSX.Element {
  const text = (): string =>
    props.format === 'yaml' ? props.run.configYaml : props.run.configJson;
  const copy = async (): Promise<void> => {
    if (await copyText(text())) showToast('Copied the configuration');
  };
  const save = (): void => {
    const mediaType = props.format === 'yaml' ? 'application/yaml' : 'application/json';
    downloadText(`${props.run.runId}-config.${props.format}`, text(), mediaType);
  };
  return (
    <Card
      title="Configuration"
      description="As stored; secrets are masked"
      controls={
        <>
          <For each={['yaml', 'json'] as const}>
            {(format) => (
              <Button
                size="small"
                pressed={props.format === format}
                onClick={() => props.onFormat(format)}
              >
                {format.toUpperCase()}
              </Button>
            )}
          </For>
          <Button size="small" icon="copy" onClick={() => void copy()}>
            Copy
          </Button>
          <Button size="small" icon="download" onClick={save}>
            Download
          </Button>
        </>
      }
    >
      {props.format === 'yaml' ? (
        <pre class="source" tabIndex={0} role="region" aria-label="Configuration as YAML">
          {props.run.configYaml}
        </pre>
      ) : (
        <JsonView text={props.run.configJson} name="configuration" withoutCopy />
      )}
    </Card>
  );
}

interface ParamTableProps {
  params: readonly ParamRow[];
  search: string;
  onSearch: (text: string) => void;
}

function ParamTable(props: ParamTableProps): JSX.Element {
  const rows = createMemo(() => matchingParams(props.params, props.search));
  return (
    <DataTable<ParamRow>
      name="parameters"
      urlKey="param-"
      label="Parameters"
      columns={paramColumns}
      rows={rows()}
      rowId={(row) => row.paramPath}
      maxHeight="70vh"
      toolbar={
        <TextField
          class="search"
          type="search"
          label="Search parameters"
          labelHidden
          icon="search"
          placeholder="Search parameters"
          value={props.search}
          onInput={props.onSearch}
        />
      }
      empty={
        <p class="card-empty">
          {props.params.length === 0
            ? 'The experiment of this run has no flattened parameters.'
            : `No parameter contains “${props.search}”.`}
        </p>
      }
    />
  );
}
