import type { JSX } from 'solid-js';
import { copyText } from '#renderer/ui/clipboard.ts';
import { Icon } from '#renderer/ui/Icon.tsx';

/** A wrapped text that a click copies. */
export function CopyablePath(props: { name: string; path: string }): JSX.Element {
  return (
    <button
      type="button"
      class="copyable-path mono"
      title="Click to copy"
      aria-label={`Copy ${props.name}: ${props.path}`}
      onClick={() => void copyText(props.path, props.name)}
    >
      {props.path}
      <Icon name="copy" size={12} />
    </button>
  );
}
