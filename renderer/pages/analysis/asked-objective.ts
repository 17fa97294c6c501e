import { createMemo, createSignal, type Accessor } from 'solid-js';
import { asChoice, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { AskedObjective } from './objective.ts';

/** How a target is written in the address. */
export const targetKind = asNumber(undefined);

/**
 * The target that is asked for while it is dragged, ahead of the address; undefined while none is. One for all parts of the
 * page, as there is one pointer.
 */
export const [draggedTarget, setDraggedTarget] = createSignal<number>();

/** Direction and target of the address as signals; what is no direction or no finite number is as if absent. */
export function createObjective() {
  const [direction, setDirection] = createUrlSignal(
    'direction',
    asChoice(['min', 'max'], undefined),
  );
  const [settledTarget, setTarget] = createUrlSignal('target', targetKind);
  const target = (): number | undefined => draggedTarget() ?? settledTarget();
  const asked: Accessor<AskedObjective> = createMemo(() => ({
    direction: direction(),
    target: target(),
  }));
  return { asked, direction, setDirection, target, settledTarget, setTarget };
}
