import { For, type JSX } from 'solid-js';
import { Icon } from '#renderer/ui/Icon.tsx';
import type { Stepper } from './stepper.ts';

const words = {
  functionId: { noun: 'function', keys: ['←', '→'] },
  dimension: { noun: 'dimension', keys: ['↑', '↓'] },
} as const;

interface StepButtonsProps {
  stepper: Stepper;
  axis: keyof typeof words;
}

/** Buttons for the previous and the next function or dimension, with "all" between the last and the first. */
export function StepButtons(props: StepButtonsProps): JSX.Element {
  const label = (by: -1 | 1): string => `${by < 0 ? 'Previous' : 'Next'} ${words[props.axis].noun}`;
  return (
    <span class="step-buttons">
      <For each={[-1, 1] as const}>
        {(by) => (
          <button
            type="button"
            class="icon-button"
            aria-label={label(by)}
            title={`${label(by)} (${words[props.axis].keys[by < 0 ? 0 : 1]})`}
            onClick={() => props.stepper.step(props.axis, by)}
          >
            <Icon name={by < 0 ? 'left' : 'right'} size={14} />
          </button>
        )}
      </For>
    </span>
  );
}
