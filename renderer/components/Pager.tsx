import { For, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { pageNumbers, shownRange } from './page-numbers.ts';
import { Select } from './Select.tsx';

interface PagerProps {
  /** From 1. */
  page: number;
  size: number;
  total: number;
  /** What is counted: "runs". */
  of: string;
  sizes: readonly number[];
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

/** Which part of a list is shown, and the way to the others. */
export function Pager(props: PagerProps): JSX.Element {
  const pages = (): number => Math.max(1, Math.ceil(props.total / props.size));
  return (
    <div class="pager">
      <span>{`${shownRange(props.page, props.size, props.total)} of ${formatCount(props.total)} ${props.of}`}</span>
      <Select
        size="small"
        label="Per page"
        value={String(props.size)}
        options={props.sizes.map((size) => ({ value: String(size), label: String(size) }))}
        onChange={(size) => props.onSize(Number(size))}
      />
      <nav class="pager-pages" aria-label="Pages of the list">
        <PageButton {...props} target={props.page - 1} last={pages()} text="‹ Previous" />
        <For each={pageNumbers(props.page, pages())}>
          {(page) => (
            <Show when={page} fallback={<span aria-hidden="true">…</span>}>
              {(shown) => (
                <button
                  type="button"
                  class="pager-page"
                  aria-label={`Page ${shown()}`}
                  aria-current={shown() === props.page ? 'page' : undefined}
                  onClick={() => props.onPage(shown())}
                >
                  {shown()}
                </button>
              )}
            </Show>
          )}
        </For>
        <PageButton {...props} target={props.page + 1} last={pages()} text="Next ›" />
      </nav>
    </div>
  );
}

interface PageButtonProps extends PagerProps {
  target: number;
  last: number;
  text: string;
}

function PageButton(props: PageButtonProps): JSX.Element {
  const isPossible = (): boolean => props.target >= 1 && props.target <= props.last;
  return (
    <button
      type="button"
      class="pager-page"
      aria-disabled={isPossible() ? undefined : true}
      aria-description={isPossible() ? undefined : 'There is no further page.'}
      onClick={() => isPossible() && props.onPage(props.target)}
    >
      {props.text}
    </button>
  );
}
