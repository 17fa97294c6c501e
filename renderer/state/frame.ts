import { createSignal } from 'solid-js';

const [isPaletteOpen, setPaletteOpen] = createSignal(false);
const [isKeyListOpen, setKeyListOpen] = createSignal(false);

export { isKeyListOpen, isPaletteOpen, setKeyListOpen, setPaletteOpen };
