import type { Accessor, JSX } from 'solid-js';
import type { TermId } from '#shared/glossary.ts';

/** A value for Copy, CSV and sorting. A 64-bit integer may be a decimal string. */
export type CellValue = string | number | boolean | null | undefined;

/** Context of the renderer of a cell. */
export interface CellContext {
  /** 0 in the row that has the keyboard, else −1: for links and buttons inside cells. */
  tabIndex: Accessor<0 | -1>;
}

export interface TableColumn<Row> {
  /** Stable, for the URL: letters, digits, dots, dashes, and percent signs of encoded names. */
  id: string;
  header: string;
  /** Explains the heading, where the word alone is not enough. */
  explanation?: string;
  /** Term that a card explains; default: the term in the heading, none (null) where headings are data. */
  term?: TermId | null;
  /** The value itself: sorted, copied, exported, compared to hide constant columns. */
  value: (row: Row) => CellValue;
  /** Extra fields after the value in Copy and CSV, such as both ends of its interval. */
  fields?: readonly { header: string; value: (row: Row) => CellValue }[];
  /** Renders the value; called once per row and column with a reactive row. Default: the text of the value. */
  cell?: (row: Accessor<Row>, context: CellContext) => JSX.Element;
  /** Text of the number that the cell shows, where the decimal points of a column are to be aligned. */
  print?: (row: Row) => string;
  /** Text about as long as the cell, where the value is not; finds the widest cell of a large table. */
  measure?: (row: Row) => string;
  /** Numbers are right-aligned in tabular figures; `auto` where all shown values are numbers; default `start`. */
  align?: 'start' | 'end' | 'auto';
  /** Whether its heading sorts; default true. Rows that the service sorts also need `sortBy`. */
  sortable?: boolean;
  /** The service's name for this column where it sorts the rows. */
  sortBy?: string;
  /** Whether the first click sorts descending; default for `end`-aligned columns. */
  descendingFirst?: boolean;
  /** Whether it is hidden until the user chooses it. */
  isHiddenByDefault?: boolean;
  /** Smallest window width in pixels at which it is shown by default, so that important columns are not truncated. */
  fromPixels?: number;
  /** Whether it cannot be hidden. */
  fixed?: boolean;
  /**
   * Whether it belongs to an item of the data, such as an optimizer: shown unless a choice hides it, see
   * {@link ChosenColumns}.
   */
  isOfData?: boolean;
  /** Maximum width of a cell in `ch`, a third more in a wide window; longer text is truncated. */
  maxWidthChars?: number;
}

export interface TableSort {
  column: string;
  direction: 'asc' | 'desc';
}

/**
 * The columns of a table, in order; null = the default ones. A minus precedes the id of a hidden column of the data,
 * because a choice that other data lead to contains no column of these.
 */
export type ChosenColumns = readonly string[] | null;
