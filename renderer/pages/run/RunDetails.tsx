import { createMemo, For, Show, type JSX } from 'solid-js';
import { formatFitness } from '#shared/number-format.ts';
import type { RunDetail } from '#shared/schemas/run.ts';
import { parseArtifacts } from './artifacts.ts';
import { CopyablePath } from './CopyablePath.tsx';
import { getSortedObjectives } from './objectives.ts';

/** Best solution, objectives, artifacts and components of a run. */
export function RunDetails(props: { run: RunDetail }): JSX.Element {
  const artifacts = createMemo(() => parseArtifacts(props.run.artifactsJson));
  const objectives = createMemo(() => getSortedObjectives(props.run.objectives));
  return (
    <div class="run-details">
      <div class="run-details-grid">
        <section aria-label="Components">
          <h2>Components</h2>
          <dl class="pairs">
            <Pair term="Representation">{props.run.representationType}</Pair>
            <Pair term="Selection">{props.run.selectionType}</Pair>
            <Pair term="Replacement">{props.run.replacementType}</Pair>
            <Pair term="Stopping">{props.run.stoppingType}</Pair>
            <Pair term="Configuration">
              schema {props.run.schemaVersion}, hash {props.run.configHash.slice(0, 8)}
            </Pair>
          </dl>
          <Show when={props.run.bestSummary}>
            {(summary) => (
              <>
                <h2>Best solution</h2>
                <CopyablePath name="best solution" path={summary()} />
              </>
            )}
          </Show>
        </section>
        <section aria-label="Objectives">
          <h2>Objectives</h2>
          <Show
            when={objectives().length > 0}
            fallback={<p class="muted">Written when the run ends; this run has none.</p>}
          >
            <dl class="pairs pairs-numbers">
              <For each={objectives()}>
                {({ name, value }) => <Pair term={name}>{formatFitness(value)}</Pair>}
              </For>
            </dl>
          </Show>
        </section>
        <section aria-label="Artifacts">
          <h2>Artifacts</h2>
          <p class="muted">
            Paths as recorded; relative ones begin in the folder in which the run started
          </p>
          <Show
            when={artifacts().items.length > 0}
            fallback={<p class="muted">{artifacts().remark ?? 'No artifacts recorded.'}</p>}
          >
            <dl class="pairs">
              <For each={artifacts().items}>
                {({ name, path }) => (
                  <Pair term={name}>
                    <CopyablePath name={name} path={path} />
                  </Pair>
                )}
              </For>
            </dl>
          </Show>
        </section>
      </div>
    </div>
  );
}

function Pair(props: { term: string; children: JSX.Element }): JSX.Element {
  return (
    <div>
      <dt>{props.term}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
