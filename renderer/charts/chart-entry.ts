import { createContext, type Accessor, type JSX } from 'solid-js';
import { formatSentence } from '#renderer/ui/sentence.ts';
import type { HeldValue } from './held-value.ts';
import type { Figure, Range, Scales } from './figure.ts';

/** A draggable line across a picture, such as a budget along x or a target along y. */
export interface Handle {
  /** Default: `x`. */
  axis?: 'x' | 'y';
  /** Name for screen readers. */
  label: string;
  /** Its position, which it holds, commits and restores. */
  value: HeldValue;
  /** Returns its position until the user chooses one; undefined for no line. */
  defaultValue: () => number | undefined;
  /**
   * Returns the range of its values; by default the visible range, with as few digits as distinguish a pixel from the
   * next.
   */
  range?: () => Range;
  /** Returns the text of a value, which screen readers read. */
  text: (value: number) => string;
  /** A button in a right corner that sets the line; shown while the line is not visible. */
  offer?: {
    label: string;
    corner: 'top' | 'bottom';
    /** Returns the value of a new line; the middle of the chart if that is undefined or not visible. */
    value: () => number | undefined;
  };
}

/**
 * Subject of the charts of a page, such as a problem instance: the first sentence of the caption of an exported figure;
 * empty for none.
 */
export const FigureSubject = createContext<Accessor<string>>(() => '');

/** Returns the caption of an exported figure: its subject, its description and its notes, each as a sentence. */
export function getCaption(
  subject: string,
  { describe, notes }: Pick<ChartEntry, 'describe' | 'notes'>,
): string {
  return [subject, describe(), ...(notes?.() ?? [])].filter(Boolean).map(formatSentence).join(' ');
}

/**
 * One chart of a page, as an item of a list. Values that can change are functions, so that a change does not replace
 * the other charts.
 */
export interface ChartEntry {
  /** Short and constant: names the chart in the address and in exported files. */
  id: string;
  title: string;
  /** Describes the picture in one line. */
  describe: () => string;
  /** Returns the figure; called again only when its dependencies change. */
  figure: () => Figure;
  /** Initial scales of axes that do not follow from the values; applied only if the values allow it. */
  scales?: Partial<Scales>;
  /** Notes below the chart and in the caption of an export. */
  notes?: () => readonly string[];
  /** Creates controls of the page, left of the chart's. Called once, so it reads its signals itself. */
  controls?: () => JSX.Element;
  /** A line across the picture that the user drags. */
  handle?: Handle;
  /** Height of the picture at the default text size; default 280. */
  heightPixels?: () => number;
  /** Whether it takes a whole row where a row has two charts. */
  isWide?: () => boolean;
}
