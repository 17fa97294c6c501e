import { createEffect, createSignal, on, type Accessor } from 'solid-js';
import { areSingleKeysOn, useCommands } from '#renderer/state/commands.ts';
import { useEvent } from '#renderer/state/use-event.ts';
import type { CampaignPlan } from './campaign-set.ts';
import type { Scope, ScopeValues } from './scope.ts';

type Axis = 'functionId' | 'dimension';

/** Steps a scope through functions and dimensions, and back to the previous view. */
export interface Stepper {
  step: (axis: Axis, by: -1 | 1) => void;
  /** Toggles between the current and the previous view. */
  flip: () => void;
}

/**
 * Creates the stepper of a page, with its keys: left and right for functions, up and down for dimensions, Space for the
 * previous view, unless the focused element uses them.
 */
export function createStepper(scope: Scope, plan: Accessor<CampaignPlan | undefined>): Stepper {
  const [previous, setPrevious] = createSignal<ScopeValues>();
  createEffect(on(scope.values, (_, before) => before && setPrevious(before)));
  const step = (axis: Axis, by: -1 | 1): void => {
    const all = plan();
    if (!all) return;
    const values = axis === 'functionId' ? all.functions : all.dimensions;
    const next = getNextChoice(values.map(String), scope.values()[axis], by);
    scope.choose({ [axis]: next }, 'replace');
  };
  const flip = (): void => {
    const values = previous();
    if (values) scope.choose(values, 'replace');
  };
  useCommands([
    { keys: 'ArrowLeft', description: 'Previous function', run: () => step('functionId', -1) },
    { keys: 'ArrowRight', description: 'Next function', run: () => step('functionId', 1) },
    { keys: 'ArrowUp', description: 'Previous dimension', run: () => step('dimension', -1) },
    { keys: 'ArrowDown', description: 'Next dimension', run: () => step('dimension', 1) },
    { keys: 'Space', description: 'Previous functions and dimensions' },
  ]);
  useEvent('keydown', (event) => {
    if (!isFreeSpace(event)) return;
    event.preventDefault();
    flip();
  });
  return { step, flip };
}

/** Returns the choice after a step in the cycle of "all" and each single value. Several values count as all. */
export function getNextChoice(
  values: readonly string[],
  selection: readonly string[],
  by: -1 | 1,
): readonly string[] {
  const ring: readonly (readonly string[])[] = [[], ...values.map((value) => [value])];
  const [only = ''] = selection;
  const place = selection.length === 1 ? values.indexOf(only) + 1 : 0;
  return ring[(place + by + ring.length) % ring.length] ?? [];
}

/** Returns whether a key is Space, and is not for a focused button, checkbox or field. */
function isFreeSpace({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  const isPage = target === document.body || (target as Element).id === 'main';
  return key === ' ' && !defaultPrevented && isPage && areSingleKeysOn();
}
