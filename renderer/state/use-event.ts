import { onCleanup } from 'solid-js';

/** Listens to events of the document, or of another target, while the calling component is mounted. */
export function useEvent<Name extends keyof DocumentEventMap>(
  name: Name,
  hear: (event: DocumentEventMap[Name]) => void,
  target: EventTarget = document,
  options?: AddEventListenerOptions,
): void {
  const listener = hear as EventListener;
  target.addEventListener(name, listener, options);
  onCleanup(() => target.removeEventListener(name, listener, options));
}
