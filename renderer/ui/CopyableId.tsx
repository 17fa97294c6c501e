import { createSignal, onCleanup, type JSX } from 'solid-js';
import { copyText } from './clipboard.ts';
import { Icon } from './Icon.tsx';
import { getShortId } from '#shared/words.ts';

interface CopyableIdProps {
  id: string;
  /** Kind of the id, for the button's label: "run", "experiment". */
  of: string;
  tabIndex?: number;
}

/** A short id; its button copies the full id. */
export function CopyableId(props: CopyableIdProps): JSX.Element {
  const [isCopied, setCopied] = createSignal(false);
  let timer: number | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async (event: MouseEvent): Promise<void> => {
    event.stopPropagation();
    if (!(await copyText(props.id))) return;
    setCopied(true);
    clearTimeout(timer);
    timer = window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      class="copyable-id"
      tabIndex={props.tabIndex ?? 0}
      title={isCopied() ? 'Copied' : `${props.id} (click to copy)`}
      aria-label={`${isCopied() ? 'Copied' : 'Copy'} ${props.of} id ${getShortId(props.id)}`}
      onClick={(event) => void copy(event)}
    >
      <span class="mono clip">{getShortId(props.id)}</span>
      <Icon name={isCopied() ? 'check' : 'copy'} size={12} />
    </button>
  );
}
