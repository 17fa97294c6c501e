import type { DatabaseConnections } from './dialect.ts';
import type { DatabaseUrl } from './url.ts';

/** A database with the runner's tables, as every repository receives it. */
export interface Database extends Omit<
  DatabaseConnections,
  'applyPersistentSettings' | 'structure'
> {
  /** The column of `coco_aggregates` with the runner's own ERT: `svc_ert` in a new database. */
  readonly ertColumn: string;
  /** Absolute path of the SQLite file; null for PostgreSQL and in memory. */
  readonly file: string | null;
  /** URL with which another thread can open the same database, unless it is in memory. May contain a password. */
  readonly location: DatabaseUrl;
}
