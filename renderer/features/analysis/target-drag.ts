import { createEffect, createSignal, on, onCleanup, untrack, type Accessor } from 'solid-js';
import { formatFitness } from '#shared/number-format.ts';
import type { Cut } from '#renderer/charts/chart-entry.ts';
import { useUrl } from '#renderer/state/url.ts';
import type { AnalysedGroups } from './analysed-groups.ts';
import {
  createObjective,
  draggedTarget,
  setDraggedTarget,
  targetKind,
} from './objective-in-url.ts';
import { suggestedTargets } from './objective.ts';

/** A target that is dragged over a chart. */
export interface TargetDrag {
  /** Position during the drag, ahead of the requests; undefined otherwise. */
  dragged: Accessor<number | undefined>;
  move: (target: number) => void;
  /** Undefined for the target of the configuration. */
  done: (target: number | undefined) => void;
  /** Restores the target before the drag. */
  cancel: () => void;
}

/** Browsers allow about two hundred changes of the URL in half a minute. */
const addressMillis = 250;

/**
 * Creates the state of a dragged target: each position is requested as soon as the response to the previous one
 * arrives, the latest first, so that no request is wasted. `isPending` states that a response is pending. The URL
 * follows; a drag is one step of Back.
 */
export function createTargetDrag(isPending: Accessor<boolean>): TargetDrag {
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
    if (target === undefined || isPending()) return;
    setDraggedTarget(target);
    if (Date.now() - writtenAt >= addressMillis) untrack(() => write(target));
  });
  // Until the URL has the last position, that position is requested.
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

/** Returns the target as a draggable handle on the convergence chart; a button sets one where none is visible. */
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
      // Away from the start of the curves: they rise to a target that is maximised.
      corner: untrack(() => analysed().objectiveDirection) === 'max' ? 'bottom' : 'top',
      value: () => middleOf(suggestedTargets(analysed().notes)),
    },
  };
}

function middleOf(values: readonly number[]): number | undefined {
  return values[values.length >> 1];
}
