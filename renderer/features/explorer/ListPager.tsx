import { createEffect, For, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import { Select } from '#renderer/ui/Select.tsx';
import { pageSizes, type ListState } from './list-state.ts';
import './explorer.css';
import { getPageNumbers, getShownRange } from './page-numbers.ts';

interface ListPagerProps {
  list: ListState;
  response: { items: readonly unknown[]; total: number; totalPages: number };
  /** The response belongs to the previous page or filter. */
  isPlaceholder: boolean;
  /** Name of an item: "run", "experiment". */
  noun: string;
}

/** Shows the current range of a list and links to the other pages; nothing for an empty list. */
export function ListPager(props: ListPagerProps): JSX.Element {
  const page = (): number => props.list.page();
  const last = (): number => Math.max(1, Math.ceil(props.response.total / props.list.size()));
  createEffect(() => {
    // Rows can be deleted while a late page is shown; an empty page would be useless.
    const { total, items, totalPages } = props.response;
    if (!props.isPlaceholder && total > 0 && items.length === 0) props.list.correctPage(totalPages);
  });
  const step = (text: string, target: () => number): JSX.Element => {
    const isBeyond = (): boolean => target() < 1 || target() > last();
    return (
      <button
        type="button"
        class="pager-page"
        // A disabled button would lose the focus on the last page.
        aria-disabled={isBeyond() || undefined}
        aria-description={isBeyond() ? 'There is no further page.' : undefined}
        onClick={() => !isBeyond() && props.list.setPage(target())}
      >
        {text}
      </button>
    );
  };
  return (
    <Show when={props.response.total > 0}>
      <div class="pager">
        <span>{`${getShownRange(page(), props.list.size(), props.response.total)} of ${describeCount(props.response.total, props.noun)}`}</span>
        <Select
          size="small"
          label="Per page"
          value={String(props.list.size())}
          options={pageSizes.map(String)}
          onChange={(size) => props.list.setSize(Number(size))}
        />
        <nav class="pager-pages" aria-label="Pages of the list">
          {step('‹ Previous', () => page() - 1)}
          <For each={getPageNumbers(page(), last())}>
            {(pageNumber) => (
              <Show when={pageNumber} fallback={<span aria-hidden="true">…</span>}>
                {(number) => (
                  <button
                    type="button"
                    class="pager-page"
                    aria-label={`Page ${number()}`}
                    aria-current={number() === page() ? 'page' : undefined}
                    onClick={() => props.list.setPage(number())}
                  >
                    {number()}
                  </button>
                )}
              </Show>
            )}
          </For>
          {step('Next ›', () => page() + 1)}
        </nav>
      </div>
    </Show>
  );
}
