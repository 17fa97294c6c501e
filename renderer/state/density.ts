import { createSignal } from 'solid-js';
import { readPreference, writePreference } from './preferences.ts';

export type Density = 'normal' | 'compact';

const [density, setDensity] = createSignal<Density>(
  readPreference('density') === 'compact' ? 'compact' : 'normal',
);

/** Density of the rows of all tables. */
export const tableDensity = density;

/** Sets and stores the density of all tables. */
export function chooseDensity(next: Density): void {
  setDensity(next);
  writePreference('density', next === 'normal' ? null : next);
  applyDensity();
}

/** Returns the height of a row in pixels, including its border, as table.css sets it from the token `--row`. */
export function getRowPixels(): number {
  const isCompact = density() === 'compact';
  const row = getComputedStyle(document.documentElement).getPropertyValue('--row');
  return (Number.parseFloat(row) || 32) - (isCompact ? 6 : 0);
}

/** Applies the density to the style sheets; called at the start and on every choice. */
export function applyDensity(): void {
  document.documentElement.dataset['density'] = density();
}
