import { paletteSize, restIndex } from './palette.ts';

/** Number of series that are emphasised by default. */
const defaultCount = 5;

/** The name in the URL of the emphasised series, which all charts of a page share. */
export const emphasisName = 'emphasis';

/**
 * Returns the names of the emphasised series: those in `selection`, else the first few of `best`; null where each
 * series has its own colour. Chosen names that no series has do not count.
 */
export function getEmphasised(
  names: readonly string[],
  best: readonly string[],
  selection: readonly string[],
): readonly string[] | null {
  if (names.length <= paletteSize) return null;
  const present = selection.filter((name) => names.includes(name)).slice(0, paletteSize);
  return present.length > 0 ? present : best.slice(0, defaultCount);
}

/**
 * Returns the emphasised names after one is added or removed; of more than there are colours the first one is removed.
 */
export function toggleName(current: readonly string[], name: string): readonly string[] {
  if (current.includes(name)) return current.filter((other) => other !== name);
  return [...current, name].slice(-paletteSize);
}

/**
 * Returns the place in the palette of each name: its own place modulo the number of colours if that is free, else the
 * next free one, so that most names keep their colour when others change; {@link restIndex} for names that are not
 * emphasised.
 */
export function getPlacesOfEmphasised(
  names: readonly string[],
  emphasis: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const usedPlaces = new Set<number>();
  for (const [index, name] of names.entries()) {
    if (!emphasis.includes(name)) {
      places.set(name, restIndex);
      continue;
    }
    let place = index % paletteSize;
    while (usedPlaces.has(place) && usedPlaces.size < paletteSize)
      place = (place + 1) % paletteSize;
    usedPlaces.add(place);
    places.set(name, place);
  }
  return places;
}
