import { createSignal } from 'solid-js';
import type { DesktopState } from '#shared/desktop.ts';

const [windowState, setWindowState] = createSignal<DesktopState>();
const [areSettingsOpen, setSettingsOpen] = createSignal(false);

/** State of the desktop window; undefined in a plain browser, and until the window has sent it. */
export { windowState, setWindowState };
/** Whether the dialog with the window's settings is open. */
export { areSettingsOpen, setSettingsOpen };
