import { renderToString } from 'katex';
import 'katex/dist/katex.min.css';
import { createMemo, Show, type JSX } from 'solid-js';

/** Longest LaTeX that is typeset: longer text would block the page. */
const mostCharacters = 20_000;

/** LaTeX as a formula; as text if it is invalid or too long, and a remark if it is missing. */
export function Expression(props: { latex: string }): JSX.Element {
  const markup = createMemo((): string | undefined => {
    if (props.latex === '' || props.latex.length > mostCharacters) return undefined;
    try {
      // The typesetter escapes its input; commands with external effects are disabled unless trusted.
      return renderToString(props.latex, { displayMode: true, trust: false });
    } catch {
      return undefined;
    }
  });
  return (
    <Show
      when={markup()}
      fallback={
        <p class="mono tree-latex">{props.latex || 'No LaTeX is stored for this program.'}</p>
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
