import { renderToString } from 'katex';
import 'katex/dist/katex.min.css';
import { createMemo, Show, type JSX } from 'solid-js';

/** Longest LaTeX that is typeset: beyond it the page would stall. */
const mostCharacters = 20_000;

/** LaTeX as a formula; as it is stored where it is none or too long, and a remark where there is none. */
export function Expression(props: { latex: string }): JSX.Element {
  const markup = createMemo((): string | undefined => {
    if (props.latex === '' || props.latex.length > mostCharacters) return undefined;
    try {
      // The typesetter escapes what it is given; commands that reach outside are off unless trusted.
      return renderToString(props.latex, { displayMode: true, trust: false });
    } catch {
      return undefined;
    }
  });
  return (
    <Show
      when={markup()}
      fallback={
        <p class="mono tree-latex">{props.latex || 'No LaTeX of this program was stored.'}</p>
      }
    >
      {(html) => (
        <div
          class="tree-formula"
          tabIndex={0}
          role="region"
          aria-label="The program as a formula"
          // eslint-disable-next-line solid/no-innerhtml
          innerHTML={html()}
        />
      )}
    </Show>
  );
}
