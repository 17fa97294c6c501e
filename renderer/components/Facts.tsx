import { Show, type JSX } from 'solid-js';
import { WithTerms } from './TermCard.tsx';
import { formatFullTime, formatMinute } from './time.ts';

interface StatProps {
  term: string;
  value?: JSX.Element;
  /** Said after the value, smaller. */
  note?: string | false | null;
  /** In place of a value that is more than text, or after it. */
  children?: JSX.Element;
}

/** One box of a `stat-strip`: what is measured, and its value. */
export function Stat(props: StatProps): JSX.Element {
  return (
    <div class="stat">
      <dt>
        <WithTerms text={props.term} />
      </dt>
      <dd>
        <Show when={props.value !== undefined}>
          <strong>{props.value}</strong>
        </Show>
        <Show when={props.note}>
          <small>{props.note}</small>
        </Show>
        {props.children}
      </dd>
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

/** When something happened, the whole time on hover; "not yet" for null. */
export function TimeFact(props: { term: string; time: string | null }): JSX.Element {
  return (
    <Fact term={props.term}>
      <Show when={props.time} fallback={<span>not yet</span>}>
        {(time) => <span title={formatFullTime(time())}>{formatMinute(time())}</span>}
      </Show>
    </Fact>
  );
}
