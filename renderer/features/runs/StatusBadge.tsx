import type { JSX } from 'solid-js';

/** Icons on a 12 × 12 grid: outlines and filled ones. */
const outlines: Readonly<Record<string, string>> = {
  COMPLETED: 'M2 6.5 4.8 9.5 10 3',
  FAILED: 'M2.5 2.5l7 7M9.5 2.5l-7 7',
};
const fillings: Readonly<Record<string, string>> = {
  RUNNING: 'M6 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6',
  STOPPED: 'M3 3h6v6H3z',
};

/**
 * A status as icon and word; an unknown status looks like STOPPED and keeps its word, as does the status of a silent
 * run.
 */
export function StatusBadge(props: { status: string; isSilent?: boolean }): JSX.Element {
  const filling = (): string | undefined => (props.isSilent ? undefined : fillings[props.status]);
  const outline = (): string | undefined => outlines[props.status];
  const isKnown = (): boolean => (filling() ?? outline()) !== undefined;
  return (
    <span
      class={`badge badge-${isKnown() ? props.status.toLowerCase() : 'other'}`}
      title={props.isSilent ? 'Silent: no new data for a long time' : undefined}
    >
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path
          classList={{ 'badge-solid': filling() !== undefined }}
          d={filling() ?? outline() ?? 'M6 2v4.5M6 9v.2'}
        />
      </svg>
      {props.status}
    </span>
  );
}
