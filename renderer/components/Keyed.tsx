import { createMemo, For, Show, type Accessor, type JSX } from 'solid-js';

interface KeyedProps<Item> {
  each: readonly Item[];
  /** What tells an item from the others. */
  by: (item: Item) => string;
  /** In place of none. */
  fallback?: JSX.Element;
  children: (item: Accessor<Item>) => JSX.Element;
}

/** Draws each item once for as long as its key is there: a new version of it changes only what reads that. */
export function Keyed<Item extends object>(props: KeyedProps<Item>): JSX.Element {
  const byKey = createMemo(() => new Map(props.each.map((item) => [props.by(item), item])));
  return (
    <For each={[...byKey().keys()]} fallback={props.fallback}>
      {(key) => <Show when={byKey().get(key)}>{(item) => props.children(item)}</Show>}
    </For>
  );
}
