import { createSignal, type Accessor } from 'solid-js';
import { useEvent } from './use-event.ts';

/** Returns the inner size of the window in CSS pixels, updated while the calling component is mounted. */
export function createWindowSize(): Accessor<{ width: number; height: number }> {
  const read = () => ({ width: window.innerWidth, height: window.innerHeight });
  const [size, setSize] = createSignal(read());
  useEvent('resize', () => setSize(read()), window);
  return size;
}
