import { createSignal, createUniqueId, Show, type JSX } from 'solid-js';
import { Button } from './Button.tsx';
import { WithTerms } from './TermCard.tsx';
import { formatFullTime, formatMinute } from './time.ts';

interface PageFactsProps {
  /** The boxes of the strip. */
  stats: JSX.Element;
  /** Messages about the subject and links to what it belongs to, in one line below the strip if they fit. */
  line?: JSX.Element;
  /** All other facts, hidden until the user opens them. */
  children: JSX.Element;
}

/**
 * The head of a page about one thing: a strip of facts, a line of messages and links, the rest behind "Show details".
 */
export function PageFacts(props: PageFactsProps): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  const id = createUniqueId();
  return (
    <div class="page-facts">
      <dl class="stat-strip">{props.stats}</dl>
      <div class="facts-line">
        {props.line}
        <Button
          kind="quiet"
          size="small"
          class="facts-toggle"
          aria-expanded={isOpen()}
          aria-controls={id}
          onClick={() => setOpen(!isOpen())}
        >
          {isOpen() ? 'Hide details' : 'Show details'}
        </Button>
      </div>
      <Show when={isOpen()}>
        <div id={id} class="facts-details">
          {props.children}
        </div>
      </Show>
    </div>
  );
}

interface StatProps {
  term: string;
  value?: JSX.Element;
  /** Follows the value, smaller. */
  note?: string | false | null;
  /** Replaces or follows the value where it is more than text. */
  children?: JSX.Element;
}

/** One box of a `stat-strip`: name and value. */
export function Stat(props: StatProps): JSX.Element {
  return (
    <div class="stat">
      <dt>
        <WithTerms text={props.term} />
      </dt>
      <dd>
        <Show when={props.value !== undefined}>
          <strong title={typeof props.value === 'string' ? props.value : undefined}>
            {props.value}
          </strong>
        </Show>
        <Show when={props.note}>
          <small title={props.note || undefined}>{props.note}</small>
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

/** Time of an event, with the full time as tooltip; "not yet" for null. */
export function TimeFact(props: { term: string; time: string | null }): JSX.Element {
  return (
    <Fact term={props.term}>
      <Show when={props.time} fallback={<span>not yet</span>}>
        {(time) => <span title={formatFullTime(time())}>{formatMinute(time())}</span>}
      </Show>
    </Fact>
  );
}
