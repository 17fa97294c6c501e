import type { JSX } from 'solid-js';
import type { ParamRow } from '#shared/schemas/run.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { asChoice, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { ParamTable } from './ParamTable.tsx';
import { SourceCard, type ConfigurationSource } from './SourceCard.tsx';

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
        <QueryView query={props.params} skeleton={<Skeleton shape="table" count={14} />}>
          {(rows) => <ParamTable params={rows()} search={search()} onSearch={setSearch} />}
        </QueryView>
      </Card>
    </div>
  );
}
