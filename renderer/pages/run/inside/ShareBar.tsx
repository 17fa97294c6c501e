import type { JSX } from 'solid-js';

/** A share from 0 to 1 as a bar; its number is next to it. */
export function ShareBar(props: { share: number }): JSX.Element {
  return (
    <span class="share-bar" aria-hidden="true">
      <span style={{ width: `${100 * Math.min(1, Math.max(0, props.share))}%` }} />
    </span>
  );
}
