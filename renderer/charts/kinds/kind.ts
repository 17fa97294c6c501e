import type { Cell, Extent, Figure } from '#renderer/charts/figure.ts';
import type { Picture, Setting } from '#renderer/charts/picture.ts';

/** The numbers of a picture as a table: all points, none thinned. */
export interface FigureTable {
  columns: readonly string[];
  /** One row per x, in rising order; null where a series has no value there. */
  rows: readonly (readonly (Cell | string)[])[];
}

/** Where the cursor stands, in values of the axes; `row` is that of a picture with rows. */
export interface Place {
  x: number;
  row?: number;
}

/** What stands at the cursor. */
export interface Reading {
  /** "iteration 12" */
  title: string;
  rows: readonly ReadingRow[];
  /** A rectangle around what is read, in values of the axes, where that is no line across the picture. */
  outline?: { x: readonly [number, number]; y: readonly [number, number] };
}

/** One value at the cursor. */
export interface ReadingRow {
  name: string;
  text: string;
  /** Of the series it belongs to. */
  paletteIndex?: number;
  /** Where it stands, if it is to be marked. */
  y?: number;
}

/** What can be done with figures of one kind; all of it pure. */
export interface Kind<One extends Figure = Figure> {
  /** All finite or missing numbers that are drawn; a figure without a finite one is empty. */
  values: (figure: One) => readonly (readonly Cell[])[];
  /** Ends of the values on each axis; null for an axis that has no scale to choose. */
  extents: (figure: One) => { x: Extent; y: Extent };
  draw: (figure: One, setting: Setting) => Picture;
  /** The numbers at full precision; a figure without points gives no rows. */
  table: (figure: One) => FigureTable;
  /** The x at which the cursor stops, rising, and how many rows it walks over; 1 where there are none. */
  stops: (figure: One) => { x: readonly number[]; rows: number };
  /** What stands at a place, one of the stops; series in `hidden` left out. */
  read: (figure: One, place: Place, hidden: ReadonlySet<string>) => Reading;
}
