import { createSignal, onCleanup, type Accessor } from 'solid-js';

/** Inner width of the window in CSS pixels, kept up to date while the calling component lives. */
export function createWindowWidth(): Accessor<number> {
  const [width, setWidth] = createSignal(window.innerWidth);
  const onResize = (): void => void setWidth(window.innerWidth);
  window.addEventListener('resize', onResize);
  onCleanup(() => window.removeEventListener('resize', onResize));
  return width;
}
