import type { Accessor } from 'solid-js';
import { createWindowSize } from '#renderer/state/window-size.ts';
import { createChartTheme, usualTextPixels } from './theme.ts';

/**
 * Creates the height that the window leaves next to `chromePixels` of other content, at least `least`; it follows the
 * size of the window. All are pixels at the default size of text, with which the content grows.
 */
export function createRestHeight(chromePixels: number, least: number): Accessor<number> {
  const size = createWindowSize();
  const theme = createChartTheme();
  return () =>
    Math.max(least, (size().height * usualTextPixels) / theme().textPixels - chromePixels);
}
