import { createSignal } from 'solid-js';
import type { DesktopState } from '#shared/desktop.ts';

const [windowState, setWindowState] = createSignal<DesktopState>();
const [areSettingsOpen, setSettingsOpen] = createSignal(false);

/** How the desktop window stands; undefined in a plain browser, and until the window has told. */
export { windowState, setWindowState };
/** Whether the dialog with the window's settings is open. */
export { areSettingsOpen, setSettingsOpen };
