import { Match, Switch, type JSX } from 'solid-js';

const known = new Set(['RUNNING', 'COMPLETED', 'FAILED', 'STOPPED']);

/** A status as icon and word; a status of another name looks like STOPPED and keeps its word. */
export function StatusBadge(props: { status: string }): JSX.Element {
  return (
    <span class={`badge badge-${known.has(props.status) ? props.status.toLowerCase() : 'other'}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <Switch fallback={<path d="M6 2v4.5M6 9v.2" />}>
          <Match when={props.status === 'RUNNING'}>
            <circle cx="6" cy="6" r="3" class="badge-solid" />
          </Match>
          <Match when={props.status === 'COMPLETED'}>
            <path d="M2 6.5 4.8 9.5 10 3" />
          </Match>
          <Match when={props.status === 'FAILED'}>
            <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" />
          </Match>
          <Match when={props.status === 'STOPPED'}>
            <rect x="3" y="3" width="6" height="6" class="badge-solid" />
          </Match>
        </Switch>
      </svg>
      {props.status}
    </span>
  );
}
