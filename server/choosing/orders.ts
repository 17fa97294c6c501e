import type { DatabaseTest } from '#shared/schemas/databases.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import type { SentError } from '#server/threads/messages.ts';

/** How a database may be made ready to be opened. */
export interface Permissions {
  /** Never writes to it. */
  readOnly: boolean;
  create: boolean;
  legacy: 'replace' | undefined;
  /** The identity of the database that the question was about which these answer; any when undefined. */
  identity?: string | undefined;
}

/** What a thread is started for: all that may hold up the thread that answers requests. */
export type Order =
  | { kind: 'look'; url: DatabaseUrl }
  | { kind: 'prepare'; url: DatabaseUrl; permissions: Permissions }
  | { kind: 'sample'; file: string };

/** What comes of an order. */
export type Outcome<Asked extends Order> = Asked extends { kind: 'sample' } ? null : Looked;

/** How far sample data are. */
export interface SampleProgress {
  runs: number;
  totalRuns: number;
}

/** What a database is, and as what it can be opened; null where it has not been made ready. */
export interface Looked {
  test: DatabaseTest;
  /** Of what was looked at; null where that was not possible. */
  identity: string | null;
  ready: Pick<Database, 'readOnly' | 'ertColumn'> | null;
}

/** What the thread says: that it has loaded all it needs, how far it is, a line for the log, and at last what came of the order. */
export type OrderReply =
  | 'started'
  | { progress: SampleProgress }
  | { notice: string }
  | { outcome: Looked | null }
  | { failure: SentError };
