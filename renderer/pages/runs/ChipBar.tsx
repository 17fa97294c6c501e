import { For, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { chipsOf, trialsChip } from './chips.ts';
import { hasFilters, type FilterName, type RunsView } from './filters.ts';

interface ChipBarProps {
  view: RunsView;
  /** Runs of the database that are COCO trials. */
  trialCount: number | undefined;
  onRemove: (name: FilterName) => void;
  onClear: () => void;
  onTrials: (trials: 'include' | undefined) => void;
}

/** The filters that are on, each removed by a click, and what became of the COCO trials. */
export function ChipBar(props: ChipBarProps): JSX.Element {
  return (
    <div class="chip-list">
      <For each={chipsOf(props.view)}>
        {(chip) => (
          <button
            type="button"
            class="chip"
            aria-label={`Remove filter ${chip.text}`}
            onClick={() => props.onRemove(chip.name)}
          >
            <span class="chip-text">{chip.text}</span>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </For>
      <Show when={trialsChip(props.view.trials, props.trialCount)}>
        {(chip) => (
          <button
            type="button"
            class="chip"
            classList={{ 'chip-hint': chip().isHint }}
            title={chip().title}
            onClick={() => props.onTrials(chip().next)}
          >
            <span class="chip-text">{chip().text}</span>
            <span aria-hidden="true">{chip().isHint ? 'Show' : '×'}</span>
          </button>
        )}
      </Show>
      <Show when={hasFilters(props.view)}>
        <Button kind="quiet" size="small" onClick={() => props.onClear()}>
          Clear all
        </Button>
      </Show>
    </div>
  );
}
