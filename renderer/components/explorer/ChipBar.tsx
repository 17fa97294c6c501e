import { For, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { type Trials, trialsChip } from './trials.ts';

/** A filter that is on, as a removable chip. */
export interface Chip<Name extends string> {
  name: Name;
  text: string;
}

interface ChipBarProps<Name extends string> {
  chips: readonly Chip<Name>[];
  trials: Trials;
  /** What the database holds of what is listed that are COCO trials. */
  trialCount: number | undefined;
  onRemove: (name: Name) => void;
  onClear: () => void;
  onTrials: (trials: 'include' | undefined) => void;
}

/** The filters that are on, each removed by a click, and what became of the COCO trials. */
export function ChipBar<Name extends string>(props: ChipBarProps<Name>): JSX.Element {
  return (
    <div class="chip-list">
      <For each={props.chips}>
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
      <Show when={trialsChip(props.trials, props.trialCount)}>
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
      <Show when={props.chips.length > 0}>
        <Button kind="quiet" size="small" onClick={() => props.onClear()}>
          Clear all
        </Button>
      </Show>
    </div>
  );
}
