import type { JSX } from 'solid-js';
import type { Figure, Scales } from './figure.ts';
import type { Range } from './view.ts';

/** A line that is dragged along x, such as a budget. */
export interface Cut {
  /** Names it for screen readers. */
  label: string;
  /** Where it stands; undefined while there is none. */
  at: () => number | undefined;
  /** How far it can be moved. */
  range: () => Range;
  /** What is read out at a place. */
  text: (x: number) => string;
  /** While it is dragged. */
  onMove: (x: number) => void;
  /** Once it is let go. */
  onDone: (x: number) => void;
}

/** One chart of a page, as an item of a list. What may change is a function, so that the other charts stay as they are. */
export interface ChartEntry {
  /** Short and constant: names the chart in the address and in exported files. */
  id: string;
  title: string;
  /** One line of what the picture shows. */
  describe: () => string;
  /** Computed anew only when what it reads changes. */
  figure: () => Figure;
  /** What the axes begin with where that is not to follow from the values; only where the values allow it. */
  scales?: Partial<Scales>;
  /** Said under the picture, and in the caption of an export. */
  notes?: () => readonly string[];
  /** The page's own choices, left of the chart's. Made once with the card, so it reads its signals itself. */
  controls?: () => JSX.Element;
  /** A line across the picture that the reader drags along x. */
  cut?: Cut;
  /** Height of the picture at the usual size of text; 280 unless told. */
  heightPixels?: () => number;
}
