import type { Accessor, JSX } from 'solid-js';
import type { TermId } from '#shared/glossary.ts';

/** A value as copy, CSV and sorting see it. A 64-bit integer may be a decimal string. */
export type CellValue = string | number | boolean | null | undefined;

/** What a cell's drawing may use. */
export interface CellContext {
  /** 0 in the row that has the keyboard, else −1: for links and buttons inside cells. */
  tabIndex: Accessor<0 | -1>;
}

export interface TableColumn<Row> {
  /** Stable, for the URL: letters, digits, dots, dashes. */
  id: string;
  header: string;
  /** What the heading means, when the word alone does not say. */
  explanation?: string;
  /** The term that a card explains; that in the words of the heading unless given, none where they are data (null). */
  term?: TermId | null;
  /** The value itself: sorted, copied, exported, compared for "hide equal". */
  value: (row: Row) => CellValue;
  /** Further fields behind the value in copy and CSV, such as both ends of its interval. */
  fields?: readonly { header: string; value: (row: Row) => CellValue }[];
  /**
   * How the value is drawn; called once per row and column with a reactive row. The value's text unless
   * given.
   */
  cell?: (row: Accessor<Row>, context: CellContext) => JSX.Element;
  /** Numbers stand at the end in tabular figures; `auto` where all values shown are numbers; `start` unless told. */
  align?: 'start' | 'end' | 'auto';
  /** Whether its heading is a button that sorts; true unless told. Rows that the service sorts need `sortBy` too. */
  sortable?: boolean;
  /** The service's name for this column where it sorts the rows. */
  sortBy?: string;
  /** Whether the first click sorts from high to low; `end`-aligned columns do unless told. */
  descendingFirst?: boolean;
  /** Left out until the user chooses it. */
  hiddenAtFirst?: boolean;
  /** Narrowest window, in pixels, in which it is shown at first, so that those that matter most are not cut. */
  fromPixels?: number;
  /** Cannot be left out. */
  fixed?: boolean;
  /** Widest that a cell grows, in `ch`, a third more in a wide window; longer text ends with an ellipsis. */
  maxWidthChars?: number;
}

export interface TableSort {
  column: string;
  direction: 'asc' | 'desc';
}

/** Which columns a table shows, in order; null = those it shows at first. */
export type ChosenColumns = readonly string[] | null;
