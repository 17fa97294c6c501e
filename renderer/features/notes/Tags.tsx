import { For, Show, type JSX } from 'solid-js';
import './notes.css';

interface TagsProps {
  tags: readonly string[];
  isBaseline?: boolean;
}

/** Tags as words in frames, after the mark of a baseline; nothing without any. */
export function Tags(props: TagsProps): JSX.Element {
  return (
    <Show when={props.tags.length > 0 || props.isBaseline}>
      <span class="tags">
        <Show when={props.isBaseline}>
          <span class="tag tag-baseline">baseline</span>
        </Show>
        <For each={props.tags}>{(tag) => <span class="tag clip">{tag}</span>}</For>
      </span>
    </Show>
  );
}
