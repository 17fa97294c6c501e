import type { JSX } from 'solid-js';
import { WithTerms } from './TermCard.tsx';

/** One box of a `stat-strip`: what is measured, and its value. */
export function Stat(props: { term: JSX.Element; children: JSX.Element }): JSX.Element {
  return (
    <div class="stat">
      <dt>
        <WithTerms text={props.term} />
      </dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** One of the smaller facts below a strip. */
export function Fact(props: { term: string; children: JSX.Element }): JSX.Element {
  return (
    <span class="fact">
      <span class="fact-term">
        <WithTerms text={props.term} />
      </span>
      {props.children}
    </span>
  );
}
