import { createSignal } from 'solid-js';
import { readPreference, writePreference } from './preferences.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const [choice, setChoice] = createSignal<ThemeChoice>('system');
const [isSystemDark, setSystemIsDark] = createSignal(false);
/** Whether the page is printed: paper is white. */
const [isPrinting, setPrinting] = createSignal(false);

/** The user's choice; `system` by default. */
export const themeChoice = choice;

/** Returns the theme on the screen or paper; reactive, for charts that have their own colours. */
export function getShownTheme(): 'light' | 'dark' {
  if (isPrinting()) return 'light';
  const setting = choice();
  if (setting !== 'system') return setting;
  return isSystemDark() ? 'dark' : 'light';
}

/** Reads the stored choice and follows the system's theme. */
export function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setSystemIsDark(dark.matches);
  dark.addEventListener('change', (event) => {
    setSystemIsDark(event.matches);
    applyTheme();
  });
  matchMedia('print').addEventListener('change', (event) => {
    setPrinting(event.matches);
    applyTheme();
  });
  setChoice(parseThemeChoice(readPreference('theme')));
  applyTheme();
}

/** Shows this theme and stores the choice. */
export function chooseTheme(next: ThemeChoice): void {
  setChoice(next);
  writePreference('theme', next === 'system' ? null : next);
  applyTheme();
}

/** Parses a stored choice; `system` for anything unknown. */
export function parseThemeChoice(text: string | null): ThemeChoice {
  return text === 'light' || text === 'dark' ? text : 'system';
}

function applyTheme(): void {
  document.documentElement.dataset['theme'] = getShownTheme();
}
