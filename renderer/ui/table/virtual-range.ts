import { createVirtualizer, defaultRangeExtractor, type Range } from '@tanstack/solid-virtual';
import { createEffect, createMemo, on, untrack, type Accessor } from 'solid-js';

interface RangeOptions {
  scroller: Accessor<HTMLElement | null>;
  /** Number of rows or columns; 0 where all of them are rendered. */
  count: Accessor<number>;
  /** Returns the height of a row or the width of a column in pixels. */
  getPixels: (index: number) => number;
  /** Changes whenever heights or widths do. */
  sizes: Accessor<unknown>;
  /** Rising indices that are rendered wherever the user scrolls, such as that of the row with the focus. */
  always: Accessor<readonly number[]>;
  /** Number of rows or columns that are rendered beyond each edge. */
  overscan: Accessor<number>;
  /** Columns, not rows. */
  isHorizontal?: boolean;
}

/** Rows or columns that are not rendered: how many, and the pixels that they take. */
interface OmittedPart {
  count: number;
  pixels: number;
}

/** The rows or columns of a large table that are rendered. */
export interface VirtualRange {
  /** The rendered indices in order; none until the table has its place in the page. */
  indices: Accessor<readonly number[]>;
  /** Returns the omitted rows or columns directly before a rendered index. */
  omittedBefore: (index: number) => OmittedPart;
  /** The omitted rows or columns after the last rendered index. */
  omittedAfter: Accessor<OmittedPart>;
  scrollTo: (index: number) => void;
}

const nothing: OmittedPart = { count: 0, pixels: 0 };

/** Creates the range of rows or columns in view, which follows the scroller, with those of `always`. */
export function createVirtualRange(options: RangeOptions): VirtualRange {
  const { scroller, count, getPixels, sizes, always, overscan, isHorizontal = false } = options;
  const virtualizer = createVirtualizer<HTMLElement, HTMLElement>({
    get count() {
      return count();
    },
    get rangeExtractor() {
      const all = count();
      const alwaysRendered = always().filter((index) => index < all);
      return (range: Range) =>
        [...new Set([...defaultRangeExtractor(range), ...alwaysRendered])].sort((a, b) => a - b);
    },
    getScrollElement: scroller,
    estimateSize: (index) => untrack(() => getPixels(index)),
    get overscan() {
      return overscan();
    },
    horizontal: isHorizontal,
  });
  createEffect(on(sizes, () => virtualizer.measure(), { defer: true }));
  const rendered = createMemo(() => {
    const omitted = new Map<number, OmittedPart>();
    let [next, end] = [0, 0];
    for (const item of virtualizer.getVirtualItems()) {
      omitted.set(item.index, { count: item.index - next, pixels: item.start - end });
      [next, end] = [item.index + 1, item.end];
    }
    return { omitted, next, end };
  });
  const indices = createMemo(() => [...rendered().omitted.keys()]);
  return {
    indices,
    omittedBefore: (index) => rendered().omitted.get(index) ?? nothing,
    // Without the full size from the start, there would be no visible part to find rows for.
    omittedAfter: () => ({
      count: count() - rendered().next,
      pixels: virtualizer.getTotalSize() - rendered().end,
    }),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}
