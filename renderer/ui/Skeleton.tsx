import { createSignal, For, onCleanup, Show, type JSX } from 'solid-js';

const delayMillis = 150;

interface SkeletonProps {
  /** Name of the content, such as `runs`: the placeholder shows "Loading runs…". */
  content: string;
  /** Shape of the content: lines of text, rows of a table, or one block of this height in pixels. */
  shape: 'lines' | 'table' | { blockPixels: number };
  /** Number of lines or rows; default 6. */
  count?: number;
}

/** Placeholder while data is fetched, shown only when that takes longer than 150 ms. */
export function Skeleton(props: SkeletonProps): JSX.Element {
  const [isShown, setShown] = createSignal(false);
  const timer = setTimeout(() => setShown(true), delayMillis);
  onCleanup(() => clearTimeout(timer));
  return (
    <div class="skeleton" role="status" aria-busy="true">
      <Show when={isShown()}>
        <SkeletonShape {...props} />
      </Show>
    </div>
  );
}

function SkeletonShape(props: SkeletonProps): JSX.Element {
  const block = (): number | undefined =>
    typeof props.shape === 'object' ? props.shape.blockPixels : undefined;
  return (
    <>
      <span
        class="skeleton-text"
        classList={{
          'skeleton-table': props.shape === 'table',
          'skeleton-cover': block() !== undefined,
        }}
      >
        Loading {props.content}…
      </span>
      <Show
        when={block()}
        fallback={
          <For each={Array.from({ length: (props.count ?? 6) - 1 })}>
            {(_, index) => (
              <div
                class="skeleton-bar"
                classList={{ 'skeleton-table': props.shape === 'table' }}
                style={{
                  width: props.shape === 'table' ? '100%' : `${[78, 85, 64, 92][index() % 4]}%`,
                }}
              />
            )}
          </For>
        }
      >
        {(height) => <div class="skeleton-bar" style={{ height: `${height()}px` }} />}
      </Show>
    </>
  );
}
