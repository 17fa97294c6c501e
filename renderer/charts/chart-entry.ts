import { createContext, type Accessor, type JSX } from 'solid-js';
import { formatSentence } from '#renderer/ui/sentence.ts';
import type { HeldValue } from './held-value.ts';
import type { Figure, Range, Scales } from './figure.ts';

/** A line that is dragged along an axis, such as a budget along x or a target along y. */
export interface Cut {
  /** Default: `x`. */
  axis?: 'x' | 'y';
  /** Names it for screen readers. */
  label: string;
  /** Its position, which the handle holds, commits and restores. */
  value: HeldValue;
  /** Its position until the user chooses one; undefined for no line. */
  usual: () => number | undefined;
  /** How far it can be moved; without it as far as is seen, in as few digits as tell a pixel from the next. */
  range?: () => Range;
  /** Returns the text that is read out at a place. */
  text: (value: number) => string;
  /** A button in a right corner that sets the line; shown while the line is not visible. */
  offer?: {
    label: string;
    corner: 'top' | 'bottom';
    /** Value of a new line if it is visible; else the line is set in the middle of the chart. */
    value: () => number | undefined;
  };
}

/**
 * What the charts of a page are about, such as a problem instance: the first sentence of the caption of an exported figure;
 * empty for none.
 */
export const FigureSubject = createContext<Accessor<string>>(() => '');

/** Returns the caption of an exported figure: what it is about, what it shows, and its notes, each as a sentence. */
export function getCaption(
  subject: string,
  { describe, notes }: Pick<ChartEntry, 'describe' | 'notes'>,
): string {
  return [subject, describe(), ...(notes?.() ?? [])].filter(Boolean).map(formatSentence).join(' ');
}

/** One chart of a page, as an item of a list. What may change is a function, so that the other charts stay as they are. */
export interface ChartEntry {
  /** Short and constant: names the chart in the address and in exported files. */
  id: string;
  title: string;
  /** One line of what the picture shows. */
  describe: () => string;
  /** Computed again only when its dependencies change. */
  figure: () => Figure;
  /** Initial scales of axes that do not follow from the values; applied only if the values allow it. */
  scales?: Partial<Scales>;
  /** Notes below the chart and in the caption of an export. */
  notes?: () => readonly string[];
  /** The page's own choices, left of the chart's. Made once with the card, so it reads its signals itself. */
  controls?: () => JSX.Element;
  /** A line across the picture that the reader drags. */
  cut?: Cut;
  /** Height of the picture at the default text size; default 280. */
  heightPixels?: () => number;
  /** It takes a whole row where there are two charts a row. */
  isWide?: () => boolean;
}
