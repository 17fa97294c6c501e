import { For, Show, type JSX } from 'solid-js';
import type { GrammarTree } from '#shared/schemas/tree.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { copyText, downloadText } from '#renderer/components/clipboard.ts';
import { JsonView } from '#renderer/components/JsonView.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

const forms = {
  infix: { label: 'Infix', extension: 'txt', mediaType: 'text/plain' },
  prefix: { label: 'Prefix', extension: 'txt', mediaType: 'text/plain' },
  latex: { label: 'LaTeX', extension: 'tex', mediaType: 'text/x-tex' },
  dot: { label: 'DOT', extension: 'dot', mediaType: 'text/vnd.graphviz' },
  ast: { label: 'AST', extension: 'json', mediaType: 'application/json' },
} as const;
const names = ['infix', 'prefix', 'latex', 'dot', 'ast'] as const;

/** The program in each form it has, to copy or to download. */
export function TreeForms(props: { tree: GrammarTree }): JSX.Element {
  const [form, setForm] = createUrlSignal('form', asChoice(names, 'infix'));
  const text = (): string => {
    const chosen = form();
    return chosen === 'ast' ? JSON.stringify(props.tree.ast) : props.tree[chosen];
  };
  const save = (): void => {
    const { extension, mediaType } = forms[form()];
    downloadText(`${props.tree.runId}-${form()}.${extension}`, text(), mediaType);
  };
  return (
    <Card
      title="Forms"
      controls={
        <>
          <For each={names}>
            {(name) => (
              <Button size="small" pressed={form() === name} onClick={() => setForm(name)}>
                {forms[name].label}
              </Button>
            )}
          </For>
          <Button
            size="small"
            icon="copy"
            onClick={() => void copyText(text(), forms[form()].label)}
          >
            Copy
          </Button>
          <Button size="small" icon="download" onClick={save}>
            Download
          </Button>
        </>
      }
    >
      <Show
        when={form() === 'ast'}
        fallback={
          <pre
            class="source tree-form"
            tabIndex={0}
            role="region"
            aria-label={`Program as ${forms[form()].label}`}
          >
            {text() || 'This form was not stored.'}
          </pre>
        }
      >
        <JsonView text={text()} name="program" withoutCopy />
      </Show>
    </Card>
  );
}
