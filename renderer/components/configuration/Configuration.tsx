import { useSearchParams } from '@solidjs/router';
import type { JSX } from 'solid-js';
import type { ParamRow } from '#shared/schemas/run.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { Card } from '#renderer/components/Card.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { ParamTable } from './ParamTable.tsx';
import { SourceCard, type ConfigurationFormat, type ConfigurationSource } from './SourceCard.tsx';

interface ConfigurationProps {
  source: ConfigurationSource;
  params: QueryState<readonly ParamRow[]>;
  format: ConfigurationFormat;
  paramSearch: string;
}

/**
 * A configuration as it was written, and flattened into parameters. Format and search stand in the URL as
 * `format` and `find`.
 */
export function Configuration(props: ConfigurationProps): JSX.Element {
  const [, setSearch] = useSearchParams();
  return (
    <div class="config-grid">
      <SourceCard
        source={props.source}
        format={props.format}
        onFormat={(format) =>
          setSearch({ format: format === 'yaml' ? undefined : format }, { replace: true })
        }
      />
      <Card
        title="Parameters"
        description="The configuration flattened, one line per value; lists and groups as JSON"
        flush
      >
        <QueryView query={props.params} skeleton={<Skeleton shape="table" count={14} />}>
          {(rows) => (
            <ParamTable
              params={rows()}
              search={props.paramSearch}
              onSearch={(text) => setSearch({ find: text || undefined }, { replace: true })}
            />
          )}
        </QueryView>
      </Card>
    </div>
  );
}
