import type { JSX } from 'solid-js';
import { Icon } from '#renderer/components/Icon.tsx';
import type { Stepper } from './stepper.ts';

const words = {
  functionId: { noun: 'function', keys: ['←', '→'] },
  dimension: { noun: 'dimension', keys: ['↑', '↓'] },
} as const;

interface StepButtonsProps {
  stepper: Stepper;
  axis: keyof typeof words;
}

/** To the previous and the next function or dimension, with all of them between the last and the first. */
export function StepButtons(props: StepButtonsProps): JSX.Element {
  const label = (which: 'Previous' | 'Next'): string => `${which} ${words[props.axis].noun}`;
  return (
    <span class="step-buttons">
      <button
        type="button"
        class="icon-button"
        aria-label={label('Previous')}
        title={`${label('Previous')} (${words[props.axis].keys[0]})`}
        onClick={() => props.stepper.step(props.axis, -1)}
      >
        <Icon name="left" size={14} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={label('Next')}
        title={`${label('Next')} (${words[props.axis].keys[1]})`}
        onClick={() => props.stepper.step(props.axis, 1)}
      >
        <Icon name="right" size={14} />
      </button>
    </span>
  );
}
