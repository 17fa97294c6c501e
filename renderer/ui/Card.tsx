import { createUniqueId, Show, type JSX } from 'solid-js';
import { CardBoundary } from './CardBoundary.tsx';
import { Notes } from './Notes.tsx';
import { WithTerms } from './TermCard.tsx';

interface CardProps {
  title: string;
  /** One line about the content. */
  description?: JSX.Element;
  /** Small buttons right of the title. */
  controls?: JSX.Element;
  notes?: readonly string[];
  /** Extends the content to the card's edges, as for tables. */
  flush?: boolean;
  class?: string;
  children: JSX.Element;
}

/** A card: title, one line, controls at the right, content, notes. */
export function Card(props: CardProps): JSX.Element {
  const titleId = createUniqueId();
  return (
    <section class={`card ${props.class ?? ''}`} aria-labelledby={titleId}>
      <header class="card-header">
        <div class="card-heading">
          <h2 id={titleId}>
            <WithTerms text={props.title} />
          </h2>
          <Show when={props.description}>
            <p class="card-description">
              <WithTerms text={props.description} />
            </p>
          </Show>
        </div>
        <Show when={props.controls}>
          <div class="card-controls">{props.controls}</div>
        </Show>
      </header>
      <div class="card-content" classList={{ 'card-flush': props.flush === true }}>
        <CardBoundary>{props.children}</CardBoundary>
      </div>
      <Notes notes={props.notes ?? []} />
    </section>
  );
}
