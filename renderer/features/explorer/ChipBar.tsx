import { For, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import type { ListState } from './list-state.ts';
import { trialsChip } from './trials.ts';

interface ChipBarProps {
  list: ListState;
  /** Number of COCO trials in the database; undefined where they do not apply. */
  trialCount: number | undefined;
}

/** The active filters, each removable, and the state of the COCO trials. */
export function ChipBar(props: ChipBarProps): JSX.Element {
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
      <Show when={trialsChip(props.list.trials(), props.trialCount)}>
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
          Clear all
        </Button>
      </Show>
    </div>
  );
}
