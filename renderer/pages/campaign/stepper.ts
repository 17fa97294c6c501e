import { createEffect, createSignal, on, type Accessor } from 'solid-js';
import { singleKeysAreOn, useCommands } from '#renderer/state/commands.ts';
import { useEvent } from '#renderer/state/use-event.ts';
import type { CampaignPlan } from './campaign-set.ts';
import type { Scope, ScopeValues } from './scope.ts';

type Axis = 'functionId' | 'dimension';

/** Walks a scope through functions and dimensions, and back to the view before. */
export interface Stepper {
  step: (axis: Axis, by: -1 | 1) => void;
  /** Shows what was shown before, and again to and fro. */
  flip: () => void;
}

/**
 * Makes the stepper of a page, with its keys: left and right for functions, up and down for dimensions, Space for the view
 * before, as long as nothing has the focus that takes them for itself.
 */
export function createStepper(scope: Scope, plan: Accessor<CampaignPlan | undefined>): Stepper {
  const [former, setFormer] = createSignal<ScopeValues>();
  createEffect(on(scope.values, (_, before) => before && setFormer(before)));
  const step = (axis: Axis, by: -1 | 1): void => {
    const all = plan();
    if (!all) return;
    const values = axis === 'functionId' ? all.functions : all.dimensions;
    const next = stepped(values.map(String), scope.values()[axis], by);
    scope.choose({ [axis]: next }, 'replace');
  };
  const flip = (): void => {
    const shown = former();
    if (shown) scope.choose(shown, 'replace');
  };
  useCommands([
    { keys: 'ArrowLeft', description: 'Previous function', run: () => step('functionId', -1) },
    { keys: 'ArrowRight', description: 'Next function', run: () => step('functionId', 1) },
    { keys: 'ArrowUp', description: 'Previous dimension', run: () => step('dimension', -1) },
    { keys: 'ArrowDown', description: 'Next dimension', run: () => step('dimension', 1) },
    { keys: 'Space', description: 'The functions and dimensions shown before' },
  ]);
  useEvent('keydown', (event) => {
    if (!isFree(event)) return;
    event.preventDefault();
    flip();
  });
  return { step, flip };
}

/**
 * The choice after a step through "all" and each value by itself, in a ring. A choice of several counts as all.
 */
export function stepped(
  values: readonly string[],
  chosen: readonly string[],
  by: -1 | 1,
): readonly string[] {
  const ring: readonly (readonly string[])[] = [[], ...values.map((value) => [value])];
  const [only = ''] = chosen;
  const place = chosen.length === 1 ? values.indexOf(only) + 1 : 0;
  return ring[(place + by + ring.length) % ring.length] ?? [];
}

/** Whether a key is meant for no button, box or field: Space belongs to what has the focus. */
function isFree({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  const isPage = target === document.body || (target as Element).id === 'main';
  return key === ' ' && !defaultPrevented && isPage && singleKeysAreOn();
}
