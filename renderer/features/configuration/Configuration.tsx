import { createMemo, type JSX } from 'solid-js';
import type { ParamRow } from '#shared/schemas/run.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { createCommittedText } from '#renderer/state/committed-text.ts';
import { asChoice, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { JsonView } from '#renderer/ui/JsonView.tsx';
import { TextButtons } from '#renderer/ui/TextButtons.tsx';
import { makeMonoColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { getMatchingParams, getParamValue } from './param-rows.ts';

const formats = { yaml: 'YAML', json: 'JSON' } as const;
type ConfigurationFormat = keyof typeof formats;

/** A stored configuration, and the name of its file before `-config.yaml`. */
interface ConfigurationSource {
  configYaml: string;
  configJson: string;
  fileName: string;
}

interface SourceCardProps {
  source: ConfigurationSource;
  format: ConfigurationFormat;
  onFormat: (format: ConfigurationFormat) => void;
}

/** The configuration as stored, as YAML or JSON. */
function SourceCard(props: SourceCardProps): JSX.Element {
  const text = (): string =>
    props.format === 'yaml' ? props.source.configYaml : props.source.configJson;
  return (
    <Card
      title="Configuration"
      description="As stored; secrets masked"
      controls={
        <>
          <ChoiceButtons labels={formats} selected={props.format} onChoose={props.onFormat} />
          <TextButtons
            text={text()}
            name="the configuration"
            fileName={`${props.source.fileName}-config.${props.format}`}
            mediaType={`application/${props.format}`}
          />
        </>
      }
    >
      {props.format === 'yaml' ? (
        <pre class="source" tabIndex={0} role="region" aria-label="Configuration as YAML">
          {props.source.configYaml}
        </pre>
      ) : (
        <JsonView text={props.source.configJson} name="configuration" withoutCopy />
      )}
    </Card>
  );
}

interface ConfigurationProps {
  source: ConfigurationSource;
  params: QueryState<readonly ParamRow[]>;
}

/**
 * A configuration as stored, and flattened into parameters. Format and search are in the URL as `format` and `find`.
 */
export function Configuration(props: ConfigurationProps): JSX.Element {
  const [format, setFormat] = createUrlSignal('format', asChoice(['yaml', 'json'], 'yaml'));
  const [search, setSearch] = createUrlSignal('find', asText());
  return (
    <div class="config-grid">
      <SourceCard source={props.source} format={format()} onFormat={setFormat} />
      <Card
        title="Parameters"
        description="The configuration flattened, one line per value; lists and groups as JSON"
        flush
      >
        <QueryView
          query={props.params}
          skeleton={<Skeleton content="configuration" shape="table" count={14} />}
        >
          {(rows) => <ParamTable params={rows()} search={search()} onSearch={setSearch} />}
        </QueryView>
      </Card>
    </div>
  );
}

const paramColumns: readonly TableColumn<ParamRow>[] = [
  { id: 'section', header: 'Section', isHiddenByDefault: true, value: (row) => row.section },
  makeMonoColumn('path', 'Path', (row) => row.paramPath, { fixed: true }),
  { id: 'type', header: 'Type', value: (row) => row.valueType },
  makeMonoColumn('value', 'Value', getParamValue, { maxWidthChars: 18 }),
];

interface ParamTableProps {
  params: readonly ParamRow[];
  search: string;
  onSearch: (text: string) => void;
}

/** Table of flattened parameters with search and sorting. */
function ParamTable(props: ParamTableProps): JSX.Element {
  // The URL has the text trimmed, which would delete the space between two words while they are typed.
  const field = createCommittedText(
    () => props.search,
    (text) => props.onSearch(text),
    250,
  );
  const rows = createMemo(() => getMatchingParams(props.params, field.text()));
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
          value={field.text()}
          onInput={field.type}
          onChange={field.flush}
        />
      }
      empty={
        props.params.length === 0
          ? 'The experiment has no flattened parameters.'
          : `No parameter contains “${field.text().trim()}”.`
      }
    />
  );
}
