import { createMemo, For, Show, type JSX } from 'solid-js';
import { formatBytes } from '#shared/number-format.ts';
import { Button } from './Button.tsx';
import { copyText } from './clipboard.ts';
import { getJsonTokens } from './json-text.ts';

interface JsonViewProps {
  /** JSON as stored; null when there is none. */
  text: string | null;
  /** Name of the content, for the toast and screen readers. */
  name: string;
  /** Omits the button, where the page has its own. */
  withoutCopy?: boolean;
}

/** Longest text that is formatted and coloured: longer text would block the browser. */
const maximumColoredCharacters = 300_000;

/** Stored JSON, formatted and coloured; text that is not JSON is shown as it is, with a remark. */
export function JsonView(props: JsonViewProps): JSX.Element {
  const isLong = (): boolean => (props.text?.length ?? 0) > maximumColoredCharacters;
  const tokens = createMemo(() =>
    props.text === null || isLong() ? null : getJsonTokens(props.text),
  );
  return (
    <Show when={props.text !== null} fallback={<p class="muted">Nothing is stored.</p>}>
      <div class="json">
        <Show when={isLong()}>
          <p class="json-remark">
            Shown as stored: {formatBytes(props.text?.length)} are too much to lay out.
          </p>
        </Show>
        <Show when={!isLong() && tokens() === null}>
          <p class="json-remark">This is not valid JSON. It is shown as it is stored.</p>
        </Show>
        <Show when={!props.withoutCopy}>
          <Button
            size="small"
            icon="copy"
            class="json-copy"
            onClick={() => void copyText(props.text ?? '', props.name)}
          >
            Copy
          </Button>
        </Show>
        <pre tabIndex={0} role="region" aria-label={`${props.name} as JSON`}>
          <Show when={tokens()} fallback={props.text}>
            {(all) => (
              <For each={all()}>
                {({ kind, text }) =>
                  kind === 'space' || kind === 'mark' ? (
                    text
                  ) : (
                    <span class={`json-${kind}`}>{text}</span>
                  )
                }
              </For>
            )}
          </Show>
        </pre>
      </div>
    </Show>
  );
}
