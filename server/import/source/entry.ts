import type { NoteBook } from '../notes.ts';
import type { Meter } from './meter.ts';

/** A file of a source. Its bytes must be read, or given up, before the next entry is requested. */
export interface Entry {
  /** Inside of the source, with `/` between its parts; an archive within counts as a folder. */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Buffer>;
}

/** What every reader of a source counts with and notes in. */
export interface Reading {
  meter: Meter;
  notes: NoteBook;
  /** Called after every chunk with the number of bytes of the given source that are read. */
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}
