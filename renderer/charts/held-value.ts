import { batch, createSignal, untrack, type Accessor } from 'solid-js';

/** A value that a handle changes: it is pending while the handle moves; a release commits it, Esc restores it. */
export interface HeldValue {
  /** The value while the handle moves; undefined otherwise. */
  heldValue: Accessor<number | undefined>;
  /** The held value, else the chosen one; undefined while neither exists. */
  current: Accessor<number | undefined>;
  /** Stores the value that Esc restores, unless one is stored. */
  grab: () => void;
  move: (value: number) => void;
  /** Commits the held value, if there is one. */
  release: () => void;
  /** Commits a value without a move. */
  set: (value: number) => void;
  /**
   * Commits the value before the current move, or, after its release, before the first move since {@link leave}.
   * Returns false if there is no move.
   */
  restore: () => boolean;
  /** Commits the held value; Esc restores nothing until the next move. */
  leave: () => void;
}

/**
 * Creates a value that handles change. `committed` is the chosen value, undefined for the default; `commit` receives
 * the next one. Charts that share a handle share its object.
 */
export function createHeldValue(
  committed: Accessor<number | undefined>,
  commit: (value: number | undefined) => void,
): HeldValue {
  const [heldValue, setHeldValue] = createSignal<number>();
  /** Before the first move, and before the current one. */
  let before: { committed: number | undefined } | undefined;
  let start: number | undefined;
  const finish = (value: number | undefined): void =>
    batch(() => {
      commit(value);
      setHeldValue(undefined);
    });
  const grab = (): void => {
    before ??= { committed: untrack(committed) };
  };
  const release = (): void => {
    const value = untrack(heldValue);
    if (value !== undefined) finish(value);
  };
  return {
    heldValue,
    current: () => heldValue() ?? committed(),
    grab,
    move: (value) => {
      grab();
      if (untrack(heldValue) === undefined) start = untrack(committed);
      setHeldValue(value);
    },
    release,
    set: finish,
    restore: () => {
      if (!before) return false;
      finish(untrack(heldValue) === undefined ? before.committed : start);
      before = undefined;
      return true;
    },
    leave: () => {
      release();
      before = undefined;
    },
  };
}
