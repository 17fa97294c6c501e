import { useSearchParams } from '@solidjs/router';
import { createEffect, Show, type JSX } from 'solid-js';
import { Pager } from '#renderer/components/Pager.tsx';
import { pageChange, pageSizes, sizeChange, type ListPart } from './list-view.ts';

interface ListPagerProps {
  /** Begins the names `page` and `size` in the URL; see createTableModel. */
  urlKey: string;
  part: ListPart;
  /** The page size while the URL names none. */
  usualSize: number;
  answer: { items: readonly unknown[]; total: number; totalPages: number };
  /** The answer belongs to the former page or filter. */
  isPlaceholder: boolean;
  /** What is listed: "run", "experiment". */
  noun: string;
}

/** The pager of a list whose page stands in the URL; nothing for an empty list. */
export function ListPager(props: ListPagerProps): JSX.Element {
  const [, setSearch] = useSearchParams();
  createEffect(() => {
    // Rows can go away while a late page is shown; an empty page among full ones helps nobody.
    const { total, items, totalPages } = props.answer;
    if (!props.isPlaceholder && total > 0 && items.length === 0) {
      setSearch(pageChange(props.urlKey, totalPages), { replace: true });
    }
  });
  return (
    <Show when={props.answer.total > 0}>
      <Pager
        page={props.part.page}
        size={props.part.size}
        total={props.answer.total}
        of={props.answer.total === 1 ? props.noun : `${props.noun}s`}
        sizes={pageSizes}
        onPage={(page) => setSearch(pageChange(props.urlKey, page))}
        onSize={(size) => setSearch(sizeChange(props.urlKey, size, props.usualSize))}
      />
    </Show>
  );
}
