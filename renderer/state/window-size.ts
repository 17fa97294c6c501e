import { createSignal, type Accessor } from 'solid-js';
import { useEvent } from './use-event.ts';

/** Inner size of the window in CSS pixels, kept up to date while the calling component lives. */
export function createWindowSize(): Accessor<{ width: number; height: number }> {
  const read = () => ({ width: window.innerWidth, height: window.innerHeight });
  const [size, setSize] = createSignal(read());
  useEvent('resize', () => setSize(read()), window);
  return size;
}
