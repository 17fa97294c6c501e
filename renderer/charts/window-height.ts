import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';

/** The height of the window in pixels, kept up to date. */
export function createWindowHeight(): Accessor<number> {
  const [height, setHeight] = createSignal(window.innerHeight);
  onMount(() => {
    const refresh = (): void => void setHeight(window.innerHeight);
    window.addEventListener('resize', refresh);
    onCleanup(() => window.removeEventListener('resize', refresh));
  });
  return height;
}
