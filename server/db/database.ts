import type { DatabaseConnections } from './dialect.ts';
import type { DatabaseUrl } from './url.ts';

/** A database with the runner's tables, ready to be read and written: what every repository is given. */
export interface Database extends Omit<
  DatabaseConnections,
  'applyPersistentSettings' | 'structure'
> {
  /** The column of `coco_aggregates` with the runner's own ERT: `svc_ert` in a new database. */
  readonly ertColumn: string;
  /** Absolute path of the SQLite file; null for PostgreSQL and in memory. */
  readonly file: string | null;
  /** What it was opened with: a thread of its own opens the same database with it. May hold a password. */
  readonly source: DatabaseUrl;
}
