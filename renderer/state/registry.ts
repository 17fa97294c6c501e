import { createSignal, onCleanup } from 'solid-js';

/** Values that mounted components offer to other parts of the page. */
export interface Registry<T> {
  /** Returns the values in the order of their registration. Reactive. */
  list(): readonly T[];
  /** Registers a value while the calling component is mounted. */
  use(value: T): void;
}

/** Returns an empty registry. A value that is registered twice is listed once. */
export function createRegistry<T>(): Registry<T> {
  // A signal of the values would lose removals: when the router completes a change of pages, Solid first disposes of the
  // previous page, and then gives each signal that the next page has set the value from before that.
  const values = new Set<T>();
  const [getChange, setChange] = createSignal(undefined, { equals: false });
  return {
    list: () => {
      getChange();
      return [...values];
    },
    use: (value) => {
      values.add(value);
      setChange();
      onCleanup(() => {
        values.delete(value);
        setChange();
      });
    },
  };
}
