import { createRegistry } from './registry.ts';

/** Content of a page that goes into its archive: a chart, or tables. */
export interface Exhibit {
  kind: 'figure' | 'table';
  /** Identifies the exhibit among those of its kind; its files are named by it. */
  id: string;
  title: string;
  /** Content, number of runs, and notes. */
  caption: string;
  files: () => Promise<readonly ExhibitFile[]>;
  /** Request for the table to the service; absent for figures, and for tables that are only LaTeX. */
  request?: TableRequest;
}

/** The request for a table of the service. */
export interface TableRequest {
  endpoint: string;
  table: string;
  params: Readonly<Record<string, string>>;
  /** Values as texts; a list repeats its name. */
  query: Readonly<Record<string, string | readonly string[]>>;
}

/** A file of an exhibit. */
export interface ExhibitFile {
  /** Extension of its name: "svg". */
  ending: string;
  content: string;
}

const sources = createRegistry<() => Exhibit | undefined>();

/** Returns the exhibits of the page in the order of their registration; exhibits with the same name count once. */
export function getCurrentExhibits(): readonly Exhibit[] {
  const exhibits = sources.list().flatMap((source) => source() ?? []);
  return [...new Map(exhibits.map((one) => [`${one.kind} ${one.id}`, one])).values()];
}

/** Registers an exhibit while the calling component is mounted; undefined while there is none. */
export function useExhibit(exhibit: () => Exhibit | undefined): void {
  sources.use(exhibit);
}
