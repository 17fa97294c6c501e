import type { Accessor } from 'solid-js';
import { createWindowSize } from '#renderer/state/window-size.ts';
import { createChartTheme, usualTextPixels } from './theme.ts';

/**
 * The height that the window leaves next to `chromePixels` of other things, at least `least`, kept up to date. All are
 * pixels of a screen of usual size: on a large one everything is larger, and so is everything next to it.
 */
export function createRestHeight(chromePixels: number, least: number): Accessor<number> {
  const size = createWindowSize();
  const theme = createChartTheme();
  return () =>
    Math.max(least, (size().height * usualTextPixels) / theme().textPixels - chromePixels);
}
