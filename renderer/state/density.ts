import { createSignal } from 'solid-js';
import { readPreference, writePreference } from './preferences.ts';

export type Density = 'normal' | 'compact';

const [density, setDensity] = createSignal<Density>(
  readPreference('density') === 'compact' ? 'compact' : 'normal',
);

/** How close together the rows of all tables stand. */
export const tableDensity = density;

/** Sets and keeps the density of all tables. */
export function chooseDensity(next: Density): void {
  setDensity(next);
  writePreference('density', next === 'normal' ? null : next);
  applyDensity();
}

/** Height of a row in pixels, its line included, as table.css sets it from the token `--row`. */
export function rowPixels(): number {
  const isCompact = density() === 'compact';
  const row = getComputedStyle(document.documentElement).getPropertyValue('--row');
  return (Number.parseFloat(row) || 32) - (isCompact ? 6 : 0);
}

/** Tells the style sheets the density; called once at the start and by every choice. */
export function applyDensity(): void {
  document.documentElement.dataset['density'] = density();
}
