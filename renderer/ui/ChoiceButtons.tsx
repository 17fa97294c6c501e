import { For, type JSX } from 'solid-js';
import { Button } from './Button.tsx';

interface ChoiceButtonsProps<Value extends string> {
  /** The labels of the choices, in order. */
  labels: Readonly<Record<Value, string>>;
  selected: Value;
  onChoose: (value: Value) => void;
  /** Default `small`. */
  size?: 'small' | 'normal';
}

/** A choice of one among few: a button each; the button of the chosen one is pressed. */
export function ChoiceButtons<Value extends string>(props: ChoiceButtonsProps<Value>): JSX.Element {
  return (
    <For each={Object.keys(props.labels) as Value[]}>
      {(value) => (
        <Button
          size={props.size ?? 'small'}
          pressed={props.selected === value}
          onClick={() => props.onChoose(value)}
        >
          {props.labels[value]}
        </Button>
      )}
    </For>
  );
}
