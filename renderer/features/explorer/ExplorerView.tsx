import { For, Show, untrack, type JSX } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { ExplorerRows, type ExplorerRowsProps } from './ExplorerRows.tsx';
import { ExplorerTools } from './ExplorerTools.tsx';
import { FilterBar } from './FilterBar.tsx';
import { ListEmpty } from './ListEmpty.tsx';
import { Button } from '#renderer/ui/Button.tsx';
import { FailedPart } from '#renderer/ui/QueryView.tsx';
import type { ListState } from './list-state.ts';
import { makeTrialsChip } from './trials.ts';

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
  useCommands([{ description: 'Clear filters', run: list.clear }]);
  return (
    <>
      <FilterBar list={list} facets={facets.data} label={`Filter ${options.noun}s`} />
      <Show when={!props.explorer.rows.error}>
        <FailedPart query={facets} consequence="The choices of the filters could not be loaded" />
      </Show>
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

interface ChipBarProps {
  list: ListState;
  /** Number of COCO trials in the database; undefined where they do not apply. */
  trialCount: number | undefined;
}

/** The active filters, each removable, and the state of the COCO trials. */
function ChipBar(props: ChipBarProps): JSX.Element {
  return (
    <div class="chip-list">
      <For each={props.list.chips()}>
        {(chip) => (
          <button
            type="button"
            class="chip"
            aria-label={`Remove filter ${chip.text}`}
            onClick={() => props.list.filter(chip.without)}
          >
            <span class="clip">{chip.text}</span>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </For>
      <Show when={makeTrialsChip(props.list.trials(), props.trialCount)}>
        {(chip) => (
          <button
            type="button"
            class="chip"
            classList={{ 'chip-hint': chip().isHint }}
            title={chip().title}
            onClick={() => props.list.setTrials(chip().next)}
          >
            <span class="clip">{chip().text}</span>
            <span aria-hidden="true">{chip().isHint ? 'Show' : '×'}</span>
          </button>
        )}
      </Show>
      <Show when={props.list.chips().length > 0}>
        <Button kind="quiet" size="small" onClick={() => props.list.clear()}>
          Clear filters
        </Button>
      </Show>
    </div>
  );
}
