import { For, Show, useContext, type JSX } from 'solid-js';
import { ChartCard } from './ChartCard.tsx';
import { createSharedCursor, SharedCursor } from './cursor.ts';
import type { ChartEntry } from './chart-entry.ts';
import './charts.css';

interface ChartGridProps {
  entries: readonly ChartEntry[];
  /** What all of them are about, such as the run or the experiment: begins the names of exported files. */
  subject: string;
  /** Cards beside the charts, before and after them. */
  lead?: JSX.Element;
  children?: JSX.Element;
}

/**
 * The charts of a page, at most three a row; a last one alone takes its row. A card outlives every change of its
 * entry: entries are told apart by their ids. Several grids below one `SharedCursor` share it.
 */
export function ChartGrid(props: ChartGridProps): JSX.Element {
  const entryOf = (id: string): ChartEntry | undefined =>
    props.entries.find((entry) => entry.id === id);
  return (
    <SharedCursor.Provider value={useContext(SharedCursor) ?? createSharedCursor()}>
      <div class="chart-grid-frame">
        <div class="chart-grid">
          {props.lead}
          <For each={props.entries.map(({ id }) => id)}>
            {(id) => (
              <Show when={entryOf(id)}>
                {(entry) => <ChartCard entry={entry()} subject={props.subject} />}
              </Show>
            )}
          </For>
          {props.children}
        </div>
      </div>
    </SharedCursor.Provider>
  );
}
