import { useContext, type JSX } from 'solid-js';
import { Keyed } from '#renderer/ui/Keyed.tsx';
import { ChartCard } from './ChartCard.tsx';
import { createSharedCursor, SharedCursor } from './cursor.ts';
import type { ChartEntry } from './chart-entry.ts';
import './charts.css';

interface ChartGridProps {
  entries: readonly ChartEntry[];
  /** Subject of all charts, such as the run or the experiment: prefix of the names of exported files. */
  subject: string;
  /** Cards before and after the charts. */
  lead?: JSX.Element;
  children?: JSX.Element;
}

/**
 * The charts of a page, at most three a row; a last one alone takes its row. A card outlives every change of its
 * entry: entries are identified by their ids. Several grids below one `SharedCursor` share it.
 */
export function ChartGrid(props: ChartGridProps): JSX.Element {
  return (
    <SharedCursor.Provider value={useContext(SharedCursor) ?? createSharedCursor()}>
      <div class="chart-grid-frame">
        <div class="chart-grid">
          {props.lead}
          <Keyed each={props.entries} by={({ id }) => id}>
            {(entry) => <ChartCard entry={entry()} subject={props.subject} />}
          </Keyed>
          {props.children}
        </div>
      </div>
    </SharedCursor.Provider>
  );
}
