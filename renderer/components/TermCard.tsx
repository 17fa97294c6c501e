import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { glossary, type Term, type TermId } from '#shared/glossary.ts';
import { helpPath } from '#renderer/paths.ts';
import { Popover } from './Popover.tsx';
import './term.css';

/** A term with a dotted line, which opens a card that explains it: by click, tap or Enter; its meaning on hover. */
export function TermCard(props: { id: TermId; children?: JSX.Element }): JSX.Element {
  const term = (): Term => glossary[props.id];
  return (
    <Popover
      label={term().name}
      // Its one link is also its last: Tab must stay on it.
      modal
      buttonClass="term"
      class="term-card"
      button={<span title={term().definition}>{props.children ?? term().name}</span>}
    >
      <strong>{term().name}</strong>
      <TermText term={term()} />
      <A href={helpPath(props.id)}>All terms</A>
    </Popover>
  );
}

/** What a term means, how it is computed, which runs enter and where it comes from. */
export function TermText(props: { term: Term }): JSX.Element {
  return (
    <>
      <p>{props.term.definition}</p>
      <Show when={props.term.formula}>{(formula) => <p class="term-formula">{formula()}</p>}</Show>
      <Show when={props.term.runs}>{(runs) => <p>{runs()}</p>}</Show>
      <Show when={props.term.source}>{(source) => <p class="muted">{source()}</p>}</Show>
    </>
  );
}
