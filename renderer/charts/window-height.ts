import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { createChartTheme, usualTextPixels } from './theme.ts';

/**
 * The height that the window leaves beside `chromePixels` of other things, at least `least`, kept up to date. All are
 * pixels of a screen of usual size: on a large one everything is larger, what stands beside too.
 */
export function createRestHeight(chromePixels: number, least: number): Accessor<number> {
  const [height, setHeight] = createSignal(window.innerHeight);
  const theme = createChartTheme();
  onMount(() => {
    const refresh = (): void => void setHeight(window.innerHeight);
    window.addEventListener('resize', refresh);
    onCleanup(() => window.removeEventListener('resize', refresh));
  });
  return () => Math.max(least, (height() * usualTextPixels) / theme().textPixels - chromePixels);
}
