import { getTextStart } from '#shared/syntax.ts';
import { Show, type JSX } from 'solid-js';

/** Number of characters at the end of a long name that stay visible. */
const endLength = 9;

/**
 * A name that is truncated in its middle where space is short, because names of a family often differ only at the end.
 */
export function BothEnds(props: { text: string }): JSX.Element {
  const start = (): string => getTextStart(props.text, props.text.length - endLength);
  return (
    <Show when={props.text.length > 2 * endLength} fallback={props.text}>
      <span class="both-ends">
        <span class="clip">{start()}</span>
        <span>{props.text.slice(start().length)}</span>
      </span>
    </Show>
  );
}
