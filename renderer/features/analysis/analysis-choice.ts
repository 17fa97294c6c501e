import {
  createContext,
  createEffect,
  createMemo,
  createSignal,
  on,
  untrack,
  useContext,
  type Accessor,
} from 'solid-js';
import { createHeldValue } from '#renderer/charts/held-value.ts';
import { asChoice, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, useUrl } from '#renderer/state/url.ts';
import { createGuardChoice } from './guard-choice.ts';
import { createTargets, getTargets } from './TargetsField.tsx';

/** Direction, target and the further choices of one analysis page, all in the URL; every member is reactive. */
export type AnalysisChoice = ReturnType<typeof createAnalysisChoice>;

/** The choice of the page, for all its parts. */
export const AnalysisContext = createContext<AnalysisChoice>();

/** Returns the choice of the page around the calling component. */
export function useAnalysisChoice(): AnalysisChoice {
  const choice = useContext(AnalysisContext);
  if (!choice) throw new Error('useAnalysisChoice outside of AnalysisContext');
  return choice;
}

const targetKind = asNumber(undefined);

/** Minimum interval of changes of the URL: browsers allow about two hundred in half a minute. */
const urlMillis = 250;

/**
 * Creates the choice of a page. `isPending` states whether the response to the latest target is pending: each position
 * of a dragged target is requested as soon as the response to the previous one arrives, the latest first, so that no
 * request is wasted. The URL follows; a drag is one step of Back.
 */
export function createAnalysisChoice(isPending: Accessor<boolean>) {
  const url = useUrl();
  const [direction, setDirection] = createUrlSignal(
    'direction',
    asChoice(['min', 'max'], undefined),
  );
  const [settledTarget, setTarget] = createUrlSignal('target', targetKind);
  /** The target that requests use before the URL has it, during and after a drag; undefined otherwise. */
  const [requestedTarget, setRequestedTarget] = createSignal<number>();
  const target = (): number | undefined => requestedTarget() ?? settledTarget();
  let isInHistory = false;
  let writtenAt = 0;
  const write = (value: number | undefined): void => {
    url.write({ target: targetKind.format(value) }, isInHistory ? 'replace' : 'push');
    isInHistory = true;
    writtenAt = Date.now();
  };
  const heldTarget = createHeldValue(target, (value) => {
    const isSettled = value === settledTarget();
    setRequestedTarget(isSettled ? undefined : value);
    if (!isSettled) write(value);
    isInHistory = false;
  });
  createEffect(() => {
    const position = heldTarget.heldValue();
    if (position === undefined || isPending()) return;
    setRequestedTarget(position);
    if (Date.now() - writtenAt >= urlMillis) untrack(() => write(position));
  });
  // Until the URL has the last position, that position is requested.
  createEffect(
    on(settledTarget, (settled) => {
      if (heldTarget.heldValue() === undefined && settled === requestedTarget())
        setRequestedTarget(undefined);
    }),
  );
  const [targets] = createTargets();
  const guard = createGuardChoice();
  const objective = createMemo(() => ({ direction: direction(), target: target() }));
  /** Query of an analysis. */
  const query = createMemo(() => ({
    ...objective(),
    ...guard.query(),
    targets: getTargets(targets()),
  }));
  return {
    direction,
    setDirection,
    /** The target of requests. */
    target,
    /** The target of the URL. */
    settledTarget,
    setTarget,
    heldTarget,
    objective,
    query,
  };
}
