import { createMemo, For, Show, type Accessor, type JSX } from 'solid-js';

interface KeyedProps<Item> {
  each: readonly Item[];
  /** Returns the key of an item. */
  by: (item: Item) => string;
  /** Shown when there are no items. */
  fallback?: JSX.Element;
  children: (item: Accessor<Item>) => JSX.Element;
}

/** Renders each item once while its key is present: a new version of it updates only what reads it. */
export function Keyed<Item extends object>(props: KeyedProps<Item>): JSX.Element {
  const byKey = createMemo(() => new Map(props.each.map((item) => [props.by(item), item])));
  return (
    <For each={[...byKey().keys()]} fallback={props.fallback}>
      {(key) => <Show when={byKey().get(key)}>{(item) => props.children(item)}</Show>}
    </For>
  );
}
