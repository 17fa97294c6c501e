import { createMemo, For, Show, type JSX } from 'solid-js';
import { countOf } from '#shared/number-format.ts';
import { shortId } from '#renderer/names.ts';
import type { DeletionTarget } from './targets.ts';
import { isWriting } from './deletion-plan.ts';
import type { Deletion } from './deletion-state.ts';

interface DeletionTargetsProps {
  targets: readonly DeletionTarget[];
  deletion: Deletion;
}

/** Lists the targets by name, each with its state or result. */
export function DeletionTargets(props: DeletionTargetsProps): JSX.Element {
  return (
    // A long list scrolls, and keyboard users must be able to scroll it.
    <ul class="target-list" tabIndex={0} aria-label="To delete">
      <For each={props.targets}>
        {(target) => <TargetLine target={target} deletion={props.deletion} />}
      </For>
    </ul>
  );
}

function TargetLine(props: { target: DeletionTarget; deletion: Deletion }): JSX.Element {
  const fate = createMemo(() => fateOf(props.target.id, props.deletion));
  return (
    <li>
      <span class="target-name clip">{props.target.name}</span>
      <Show when={props.target.id !== props.target.name}>
        <span class="mono muted">{shortId(props.target.id)}</span>
      </Show>
      <span class={`target-fate target-${fate().tone}`}>{fate().text}</span>
    </li>
  );
}

interface Fate {
  tone: 'plain' | 'skipped' | 'failed';
  text: string;
}

function fateOf(id: string, deletion: Deletion): Fate {
  const outcome = deletion.outcome();
  const isIn = (list: readonly DeletionTarget[] | undefined): boolean =>
    list?.some((target) => target.id === id) === true;
  if (isIn(outcome?.deleted)) return { tone: 'plain', text: 'deleted' };
  if (isIn(outcome?.failed)) return { tone: 'failed', text: 'failed' };
  if (isIn(outcome?.blocked)) return { tone: 'skipped', text: 'skipped (running)' };
  const preview = deletion.previews().get(id);
  if (preview === undefined) return { tone: 'plain', text: '…' };
  if (preview === 'missing' || isIn(outcome?.missing))
    return { tone: 'plain', text: 'already deleted' };
  if (!preview.deletable) {
    const text = isWriting(preview) ? 'RUNNING' : `${countOf(preview.runningRuns, 'run')} RUNNING`;
    return { tone: 'skipped', text: `skipped: ${text}` };
  }
  return { tone: 'plain', text: countOf(preview.runsDeleted, 'run') };
}
