import { createMemo, createSignal, type Accessor } from 'solid-js';
import { asChoice, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { ObjectiveInUrl } from './objective.ts';

/** How a target is written in the URL. */
export const targetKind = asNumber(undefined);

/**
 * The target for requests while it is dragged, before it is in the URL; undefined otherwise. Shared by all parts of the
 * page, because there is only one pointer.
 */
export const [draggedTarget, setDraggedTarget] = createSignal<number>();

/** Returns direction and target of the URL as signals; invalid ones count as absent. */
export function createObjective() {
  const [direction, setDirection] = createUrlSignal(
    'direction',
    asChoice(['min', 'max'], undefined),
  );
  const [settledTarget, setTarget] = createUrlSignal('target', targetKind);
  const target = (): number | undefined => draggedTarget() ?? settledTarget();
  const objective: Accessor<ObjectiveInUrl> = createMemo(() => ({
    direction: direction(),
    target: target(),
  }));
  return { objective, direction, setDirection, target, settledTarget, setTarget };
}
