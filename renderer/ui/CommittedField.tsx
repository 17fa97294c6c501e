import { splitProps, untrack, type ComponentProps, type JSX } from 'solid-js';
import { createCommittedText } from '#renderer/state/committed-text.ts';
import { TextField } from './TextField.tsx';

interface CommittedFieldProps extends Omit<
  ComponentProps<typeof TextField>,
  'value' | 'error' | 'onInput' | 'onChange'
> {
  /** The committed text. */
  value: string;
  /** Returns what is wrong with the typed text; undefined when it can be committed. */
  check?: (text: string) => string | undefined;
  /** Returns whether two texts have the same value; default: whether they are equal. */
  isSame?: (one: string, other: string) => boolean;
  onCommit: (text: string) => void;
}

const restMillis = 500;

/** A field whose text is committed when typing pauses, and only when it is valid. */
export function CommittedField(props: CommittedFieldProps): JSX.Element {
  const [own, rest] = splitProps(props, ['value', 'check', 'isSame', 'onCommit']);
  const field = createCommittedText(
    () => own.value,
    (text) => {
      if (own.check?.(text) === undefined) own.onCommit(text);
    },
    restMillis,
    untrack(() => own.isSame),
  );
  return (
    <TextField
      {...rest}
      value={field.text()}
      error={own.check?.(field.text())}
      onInput={(text) => field.type(text)}
      onChange={() => field.flush()}
    />
  );
}
