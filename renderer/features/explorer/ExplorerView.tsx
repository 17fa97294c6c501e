import { untrack, type JSX } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { ChipBar } from './ChipBar.tsx';
import { ExplorerRows, type ExplorerRowsProps } from './ExplorerRows.tsx';
import { ExplorerTools } from './ExplorerTools.tsx';
import { FilterBar } from './FilterBar.tsx';
import { ListEmpty } from './ListEmpty.tsx';

interface ExplorerViewProps<Row> extends Omit<ExplorerRowsProps<Row>, 'empty'> {
  /** Total number in the database, and number of COCO trials among them; undefined while unknown. */
  total: number | undefined;
  trialCount?: number | undefined;
  /** See ListEmpty. */
  sampleCommand?: string;
  selectedActions?: JSX.Element;
  withParams?: boolean;
}

/** A list with its filters, chips, tools, rows, pager and empty state. */
export function ExplorerView<Row extends object>(props: ExplorerViewProps<Row>): JSX.Element {
  const { list, options } = untrack(() => props.explorer);
  const facets = useEndpoint('getFacets', () => ({ query: { trials: list.trials() } }));
  useCommands([{ description: 'Clear all filters', run: list.clear }]);
  return (
    <>
      <FilterBar list={list} facets={facets.data} label={`Filter ${options.noun}s`} />
      <div class="chips">
        <ChipBar list={list} trialCount={props.trialCount} />
        <ExplorerTools
          explorer={props.explorer}
          withParams={props.withParams === true}
          selectedActions={props.selectedActions}
        />
      </div>
      <ExplorerRows
        {...props}
        empty={
          <ListEmpty
            list={list}
            noun={options.noun}
            total={props.total}
            trialCount={props.trialCount}
            sampleCommand={props.sampleCommand}
          />
        }
      />
    </>
  );
}
