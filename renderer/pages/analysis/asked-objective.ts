import { createMemo, type Accessor } from 'solid-js';
import { asChoice, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { AskedObjective } from './objective.ts';

/** Whether less or more is better. */
export const directions = ['min', 'max'] as const;

/** Direction and target of the address as signals; what is no direction or no finite number is as if absent. */
export function createObjective() {
  const [direction, setDirection] = createUrlSignal('direction', asChoice(directions, undefined));
  const [target, setTarget] = createUrlSignal('target', asNumber(undefined));
  const asked: Accessor<AskedObjective> = createMemo(() => ({
    direction: direction(),
    target: target(),
  }));
  return { asked, direction, setDirection, target, setTarget };
}
