import { createSignal, onCleanup } from 'solid-js';

/** Something that a page shows and that goes into its archive: a figure, or tables. */
export interface Exhibit {
  kind: 'figure' | 'table';
  /** Short; letters, digits and hyphens: begins the names of its files. */
  id: string;
  title: string;
  /** What it shows, of how many runs, and what is to be known about it. */
  caption: string;
  files: () => Promise<readonly ExhibitFile[]>;
}

/** A file of an exhibit. */
export interface ExhibitFile {
  /** What its name ends with: "svg". */
  ending: string;
  content: string;
}

const [sources, setSources] = createSignal<readonly (() => Exhibit | undefined)[]>([]);

/** What the page shows now, in the order in which it came; what is there twice under one name counts once. */
export function currentExhibits(): readonly Exhibit[] {
  const shown = sources().flatMap((source) => source() ?? []);
  return [...new Map(shown.map((one) => [`${one.kind} ${one.id}`, one])).values()];
}

/** Adds to what the page shows while the calling component lives; undefined while there is nothing. */
export function useExhibit(exhibit: () => Exhibit | undefined): void {
  setSources((known) => [...known, exhibit]);
  onCleanup(() => setSources((known) => known.filter((one) => one !== exhibit)));
}
