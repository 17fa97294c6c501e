import { A, useLocation } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { getRunPath } from '#renderer/paths.ts';
import { getSiblingSearch } from './sibling-search.ts';

/** Links to the runs of the same experiment with the next lower and higher seed, in the same view. */
export function SeedLinks(props: { run: RunDetail }): JSX.Element {
  const location = useLocation();
  const link = (
    sibling: RunDetail['siblings']['previous'],
    text: (seed: string) => string,
  ): JSX.Element => (
    <Show when={sibling}>
      {(run) => (
        <A
          class="button button-plain"
          href={`${getRunPath(run().runId)}${getSiblingSearch(location.search)}`}
          title={`${run().runId}, the same experiment with another seed`}
        >
          {text(String(run().seed ?? 'none'))}
        </A>
      )}
    </Show>
  );
  return (
    <>
      {link(props.run.siblings.previous, (seed) => `‹ seed ${seed}`)}
      {link(props.run.siblings.next, (seed) => `seed ${seed} ›`)}
    </>
  );
}
