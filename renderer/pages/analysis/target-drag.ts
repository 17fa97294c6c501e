import { createEffect, createSignal, on, onCleanup, untrack, type Accessor } from 'solid-js';
import { formatFitness } from '#shared/number-format.ts';
import type { Cut } from '#renderer/charts/chart-entry.ts';
import { useUrl } from '#renderer/state/url.ts';
import type { AnalysedGroups } from './analysed-groups.ts';
import { createObjective, draggedTarget, setDraggedTarget, targetKind } from './asked-objective.ts';
import { suggestedTargets } from './objective.ts';

/** A target that is dragged over a chart. */
export interface TargetDrag {
  /** Where it is dragged, ahead of what is asked for; undefined while it is not. */
  dragged: Accessor<number | undefined>;
  move: (target: number) => void;
  /** Undefined for the target of the configuration. */
  done: (target: number | undefined) => void;
  /** Back to the target before it was moved. */
  cancel: () => void;
}

/** Browsers take some two hundred changes of the address in half a minute. */
const addressMillis = 250;

/**
 * A target that is dragged: each place is asked for as soon as the former one is answered, the newest first, so that answers
 * come as fast as they can and none is asked for in vain. `isAsking` says that an answer is on its way. The address
 * follows; a drag is one step of Back.
 */
export function createTargetDrag(isAsking: Accessor<boolean>): TargetDrag {
  const url = useUrl();
  const { settledTarget } = createObjective();
  const [dragged, setDragged] = createSignal<number>();
  let before: number | undefined;
  let isInHistory = false;
  let writtenAt = 0;
  const write = (target: number | undefined): void => {
    url.write({ target: targetKind.format(target) }, isInHistory ? 'replace' : 'push');
    isInHistory = true;
    writtenAt = Date.now();
  };
  const settle = (target: number | undefined): void => {
    setDragged(undefined);
    setDraggedTarget(target);
    if (target === settledTarget()) setDraggedTarget(undefined);
    else write(target);
  };
  createEffect(() => {
    const target = dragged();
    if (target === undefined || isAsking()) return;
    setDraggedTarget(target);
    if (Date.now() - writtenAt >= addressMillis) untrack(() => write(target));
  });
  // Until the address has come to the last place, that place is what is asked for.
  createEffect(
    on(settledTarget, (target) => {
      if (dragged() === undefined && target === draggedTarget()) setDraggedTarget(undefined);
    }),
  );
  onCleanup(() => setDraggedTarget(undefined));
  return {
    dragged,
    move: (target) => {
      if (dragged() === undefined) {
        before = settledTarget();
        isInHistory = false;
      }
      setDragged(target);
    },
    done: (target) => {
      if (dragged() === undefined) isInHistory = false;
      settle(target);
    },
    cancel: () => {
      if (dragged() !== undefined) settle(before);
    },
  };
}

/** The target as a line over the convergence, which is dragged; a button sets one where none is seen. */
export function createTargetCut(analysed: Accessor<AnalysedGroups>, drag: TargetDrag): Cut {
  const { target, settledTarget } = createObjective();
  return {
    axis: 'y',
    label: 'Target',
    at: () => drag.dragged() ?? target() ?? analysed().targetFitness ?? undefined,
    text: (value) => `target ${formatFitness(value)}`,
    chosen: settledTarget,
    onMove: drag.move,
    onDone: drag.done,
    onCancel: drag.cancel,
    offer: {
      label: 'Set a target',
      // Where curves begin far from: they rise to a target that is to be maximised.
      corner: untrack(() => analysed().objectiveDirection) === 'max' ? 'bottom' : 'top',
      value: () => middleOf(suggestedTargets(analysed().notes)),
    },
  };
}

function middleOf(values: readonly number[]): number | undefined {
  return values[values.length >> 1];
}
