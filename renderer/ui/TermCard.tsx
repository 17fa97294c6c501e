import { A } from '@solidjs/router';
import { Popover } from '@kobalte/core/popover';
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  onCleanup,
  Show,
  useContext,
  type JSX,
} from 'solid-js';
import {
  getFirstTerm,
  glossary,
  markTerms,
  type Term,
  type TermId,
  type TextPiece,
  attachPunctuation,
} from '#shared/glossary.ts';
import { getHelpPath } from '#renderer/paths.ts';
import { useEvent } from '#renderer/state/use-event.ts';
import { Icon } from './Icon.tsx';
import { TermsOfPage, type TermHere, type TermsHere } from './term-here.ts';
import './term.css';

/** Milliseconds for which the pointer rests on a term before its card opens, and is away from both before it closes. */
const restMillis = 250;

interface TermCardProps {
  /** Absent where the explained word has only a note and no term. */
  id?: TermId | undefined;
  /** The word as it appears on the page. */
  name: string;
  /** Shows a separate mark next to the word: a heading that sorts is a button already. */
  isMark?: boolean;
  /** Text about the term at this place, before the definition. */
  note?: string | undefined;
  tabIndex?: number;
}

/**
 * A term with a dotted underline. Its card opens while the pointer rests on it. After a click, a tap or Enter it stays
 * open until Escape or a click elsewhere; it then takes the focus and returns it.
 */
export function TermCard(props: TermCardProps): JSX.Element {
  const term = (): Term | undefined => props.id && glossary[props.id];
  const ofPage = useContext(TermsOfPage);
  const [visibility, setShown] = createSignal<'hovered' | 'opened'>();
  let button: HTMLButtonElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = (then: () => void) => (event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return;
    clearTimeout(timer);
    timer = setTimeout(then, restMillis);
  };
  const enter = later(() => setShown((mode) => mode ?? 'hovered'));
  const leave = later(() => setShown((mode) => (mode === 'hovered' ? undefined : mode)));
  onCleanup(() => clearTimeout(timer));
  // Keyboard users do not read the card under the pointer, and a dialog opened by a key needs the focus.
  createEffect(() => {
    if (visibility() === 'hovered') useEvent('keydown', (event) => isModifier(event) || setShown());
  });
  const toggle = (): void => {
    clearTimeout(timer);
    setShown((mode) => (mode === 'opened' ? undefined : 'opened'));
  };
  return (
    <>
      <button
        ref={(node) => (button = node)}
        type="button"
        class={props.isMark ? 'term-mark' : 'term'}
        data-term={props.id ?? props.name}
        aria-label={props.isMark ? `What is ${props.name}?` : undefined}
        aria-haspopup="dialog"
        aria-expanded={visibility() === 'opened'}
        tabIndex={props.tabIndex}
        onClick={toggle}
        onPointerEnter={enter}
        onPointerLeave={leave}
      >
        {props.isMark ? <Icon name="help" size={12} /> : props.name}
      </button>
      <Show when={visibility()} keyed>
        {(mode) => (
          <Popover
            open
            onOpenChange={(isOpen) => !isOpen && setShown(undefined)}
            anchorRef={() => button}
            gutter={4}
            // Its only link is also its last: Tab must stay on it.
            modal={mode === 'opened'}
            preventScroll={false}
          >
            <Popover.Portal>
              <Popover.Content
                class="popover term-card"
                onPointerEnter={() => clearTimeout(timer)}
                onPointerLeave={leave}
                onOpenAutoFocus={(event) => mode === 'hovered' && event.preventDefault()}
                onCloseAutoFocus={(event) => {
                  event.preventDefault();
                  if (mode === 'opened') button?.focus();
                }}
                onPointerDownOutside={(event) => {
                  if (button?.contains(event.target as Node)) event.preventDefault();
                }}
              >
                <Popover.Title class="term-name">{term()?.name ?? props.name}</Popover.Title>
                <Show when={props.note}>{(note) => <p>{note()}</p>}</Show>
                <Show when={term()}>
                  {(definition) => (
                    <TermText term={definition()} here={props.id && ofPage?.()[props.id]} />
                  )}
                </Show>
                <A href={getHelpPath(props.id)}>All terms</A>
              </Popover.Content>
            </Popover.Portal>
          </Popover>
        )}
      </Show>
    </>
  );
}

function isModifier({ key }: KeyboardEvent): boolean {
  return /^(Control|Shift|Alt|Meta)$/.test(key);
}

/**
 * Mark that explains a label, for use next to a button with the label; nothing where the label is no term. `term` is
 * for labels that would match another term.
 */
export function LabelMark(props: { label: string; term?: TermId | undefined }): JSX.Element {
  return (
    <Show when={props.term ?? getFirstTerm(props.label)}>
      {(id) => <TermCard isMark id={id()} name={props.label} />}
    </Show>
  );
}

/** Provides the page's values of the terms below it, merged with those of outer providers. */
export function PageTerms(props: { terms: TermsHere; children: JSX.Element }): JSX.Element {
  const around = useContext(TermsOfPage);
  const terms = createMemo(() => ({ ...around?.(), ...props.terms }));
  return <TermsOfPage.Provider value={terms}>{props.children}</TermsOfPage.Provider>;
}

/** A text with its terms explained; other content as it is. */
export function WithTerms(props: { text: JSX.Element }): JSX.Element {
  return (
    <Show when={typeof props.text === 'string' && props.text} fallback={props.text}>
      {(text) => <MarkedText pieces={markTerms(text())} />}
    </Show>
  );
}

/** The items of a list with their terms explained, each at its first occurrence. */
export function ItemsWithTerms(props: { texts: readonly string[] }): JSX.Element {
  const items = createMemo(() => {
    const marked = new Set<TermId>();
    return props.texts.map((text) => markTerms(text, marked));
  });
  return (
    <For each={items()}>
      {(pieces) => (
        <li>
          <MarkedText pieces={pieces} />
        </li>
      )}
    </For>
  );
}

/** Column headings with their terms explained. */
export function HeadsWithTerms(props: { texts: readonly string[] }): JSX.Element {
  return (
    <For each={props.texts}>
      {(text) => (
        <th scope="col">
          <WithTerms text={text} />
        </th>
      )}
    </For>
  );
}

function MarkedText(props: { pieces: readonly TextPiece[] }): JSX.Element {
  return (
    <For each={attachPunctuation(props.pieces)}>
      {({ id, text, head, tail }) => (
        <Show when={id} fallback={text}>
          {(termId) => (
            <span class="term-place">
              {head}
              <TermCard id={termId()} name={text} />
              {tail}
            </span>
          )}
        </Show>
      )}
    </For>
  );
}

/**
 * Explains a term: its meaning, its formula, the formula with the numbers of the page, the runs included, its source.
 */
export function TermText(props: { term: Term; here?: TermHere | undefined }): JSX.Element {
  return (
    <>
      <p>{props.term.definition}</p>
      <Show when={props.term.formula}>{(formula) => <p class="term-formula">{formula()}</p>}</Show>
      <Lines of="On this page" lines={props.here?.numbers ?? []} />
      <Show when={props.term.runs}>{(runs) => <p>{runs()}</p>}</Show>
      <Lines of="Which runs are included" lines={props.here?.runs ?? []} />
      <Show when={props.term.source}>{(source) => <p class="muted">{source()}</p>}</Show>
    </>
  );
}

function Lines(props: { of: string; lines: readonly string[] }): JSX.Element {
  return (
    <Show when={props.lines.length > 0}>
      <ul class="term-here" aria-label={props.of}>
        <For each={props.lines}>{(line) => <li>{line}</li>}</For>
      </ul>
    </Show>
  );
}
