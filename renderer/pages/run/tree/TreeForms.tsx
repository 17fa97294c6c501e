import { Show, type JSX } from 'solid-js';
import type { GrammarTree } from '#shared/schemas/tree.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { JsonView } from '#renderer/ui/JsonView.tsx';
import { TextButtons } from '#renderer/ui/TextButtons.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';

const labels = {
  infix: 'Infix',
  prefix: 'Prefix',
  latex: 'LaTeX',
  dot: 'DOT',
  ast: 'AST',
} as const;
const names = ['infix', 'prefix', 'latex', 'dot', 'ast'] as const;

/** Extension and media type of the file of a form. */
const files = {
  infix: ['txt', 'text/plain'],
  prefix: ['txt', 'text/plain'],
  latex: ['tex', 'text/x-tex'],
  dot: ['dot', 'text/vnd.graphviz'],
  ast: ['json', 'application/json'],
} as const;

/** The program in each stored form, to copy or to download. */
export function TreeForms(props: { tree: GrammarTree }): JSX.Element {
  const [form, setForm] = createUrlSignal('form', asChoice(names, 'infix'));
  const text = (): string => {
    const current = form();
    return current === 'ast' ? JSON.stringify(props.tree.ast) : props.tree[current];
  };
  return (
    <Card
      title="Forms"
      controls={
        <>
          <ChoiceButtons labels={labels} selected={form()} onChoose={setForm} />
          <TextButtons
            text={text()}
            name={labels[form()]}
            fileName={`${props.tree.runId}-${form()}.${files[form()][0]}`}
            mediaType={files[form()][1]}
          />
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
            aria-label={`Program as ${labels[form()]}`}
          >
            {text() || 'This form is not stored.'}
          </pre>
        }
      >
        <JsonView text={text()} name="program" withoutCopy />
      </Show>
    </Card>
  );
}
