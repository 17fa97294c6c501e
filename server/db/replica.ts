import { sql } from 'kysely';
import type { Database } from './database.ts';
import { openDatabase, type OpenOptions } from './open.ts';
import { StartUpError } from './start-up-error.ts';
import { describeDatabase, formatLocation, type PostgresUrl } from './url.ts';

/** The state of a replica, as `/api/health` reports it. */
export interface ReplicaReport {
  /** The replica as `host:port/database`. */
  place: string;
  /** Whether the service reads lists and analyses from the replica. */
  isUsed: boolean;
  /** Lag behind the primary, with a precision of 1 s; null if unknown. */
  lagMillis: number | null;
  /**
   * The reason why the service does not use the replica; null while the service uses it, and before the first check.
   */
  note: string | null;
}

const checkMillis = 1_000;

/** Timeout of each query of the state or position of the replica or the primary. */
const responseTimeoutMillis = 2_000;

/** Minimum time between two attempts to open the replica. */
const reopenMillis = 10_000;

/** Maximum lag of a replica that the service uses. */
const maximumLagMillis = 10_000;

/** Replacement for an unknown position. It is after any real position in the log. */
const unknownPosition = 2n ** 64n;

/** A position in the log of the primary, with the time of the check. */
interface Sample {
  checkedAtMillis: number;
  position: bigint;
}

interface ServerState {
  is_standby: boolean;
  /** Identifier of the cluster, which its physical replicas share. */
  cluster: string;
  /** Number of the timeline of the server at its last checkpoint. The number increases with each promotion. */
  timeline: number;
  database: string;
  /** Object id of the table `runs`, which is the same on a replica; null if the table is missing. */
  runs: string | null;
  /**
   * Position in the log, in bytes. On a primary, it is the end of the records on disk; on a standby, it is the end of
   * the replayed records.
   */
  position: string;
}

/**
 * A streaming replica of a PostgreSQL database, which the service checks about once a second. The service does not use
 * a replica that does not respond, is not a standby of the primary, or has an unknown lag or a lag of more than 10 s.
 */
export class Replica {
  readonly #url: PostgresUrl;
  readonly #primary: Database;
  readonly #options: OpenOptions;
  #database: Database | undefined;
  #report: ReplicaReport;
  #samples: Sample[] = [];
  #replayedPosition = 0n;
  /**
   * Position up to which the replica must have replayed the log, because reads must include the changes by this
   * service.
   */
  #requiredPosition = 0n;
  #lastAttemptAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  /** Aborts {@link responseSignal}. */
  #responseController = new AbortController();
  readonly #closeController = new AbortController();

  constructor(url: PostgresUrl, primary: Database, options: OpenOptions) {
    const { signal } = this.#closeController;
    this.#url = url;
    this.#primary = primary;
    this.#options = { ...options, isReadOnly: true, isExistenceRequired: true, signal };
    this.#report = { place: formatLocation(url), isUsed: false, lagMillis: null, note: null };
  }

  /**
   * Checks the replica immediately, then about once a second. Throws a {@link StartUpError} if the server is not a
   * replica of the primary (see {@link getDifference}). The service may later use a server that does not respond or is
   * not a standby now.
   */
  async start(): Promise<void> {
    const difference = await this.#checkReplica();
    if (difference !== null) {
      throw new StartUpError(
        `${describeDatabase(this.#url)} is not a replica of ${describeDatabase(this.#primary.location)}: ${difference}. Correct SVC_DB_REPLICA_URL, or start without it.`,
      );
    }
    this.#schedule();
  }

  /** The replica's database; undefined until it is open. */
  get database(): Database | undefined {
    return this.#database;
  }

  /** Returns the state of the replica at its last check or suspension. */
  report(): ReplicaReport {
    return this.#report;
  }

  /**
   * Returns whether the service uses the replica, and the replica has replayed all writes before the last call of
   * {@link noteWrite}. Reads the position of the replica if needed. Never rejects.
   */
  async isReadable(): Promise<boolean> {
    if (!this.#report.isUsed || !this.#database) return false;
    if (this.#replayedPosition >= this.#requiredPosition) return true;
    const state = await readState(this.#database).catch(() => null);
    if (state !== null) this.#replayedPosition = BigInt(state.position);
    return this.#report.isUsed && this.#replayedPosition >= this.#requiredPosition;
  }

  /**
   * Makes {@link isReadable} false until the replica has replayed all previous writes to the primary. If the primary
   * does not respond, a later check must first read its position. Never rejects.
   */
  async noteWrite(): Promise<void> {
    const position = await readWrittenPosition(this.#primary).catch(() => unknownPosition);
    if (position > this.#requiredPosition) this.#requiredPosition = position;
  }

  /**
   * Signal for everything that waits for the replica. After an error of opening the replica or reading its state, a
   * check aborts the signal and creates a new one.
   */
  get responseSignal(): AbortSignal {
    return this.#responseController.signal;
  }

  /** Stops using the replica until the next successful check. */
  suspend(): void {
    this.#stopUsing('The replica does not respond');
  }

  /** Stops the checks and closes all connections to the replica; running statements fail. */
  async close(): Promise<void> {
    this.#closeController.abort();
    clearTimeout(this.#timer);
    this.#database?.closeImmediately();
    await this.#database?.close();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#checkReplica().finally(() => {
        if (!this.#closeController.signal.aborted) this.#schedule();
      });
    }, checkMillis).unref();
  }

  /**
   * Decides whether the service uses the replica. Returns the reason why the server is not a replica of the primary;
   * null if there is none, or if one of the two servers does not respond.
   */
  async #checkReplica(): Promise<string | null> {
    const primary = await readState(this.#primary).catch(() => null);
    const now = performance.now();
    if (primary) this.#addSample({ checkedAtMillis: now, position: BigInt(primary.position) });
    if (this.#requiredPosition === unknownPosition && primary) {
      this.#requiredPosition = await readWrittenPosition(this.#primary).catch(
        () => unknownPosition,
      );
    }
    const replica = await this.#readState();
    if (replica === null) return null;
    const difference = primary && getDifference(primary, replica);
    if (difference !== null) {
      this.#stopUsing(`The service cannot use the replica: ${difference}`);
      return difference;
    }
    if (!replica.is_standby) {
      this.#stopUsing('The replica is not a standby');
      return null;
    }
    this.#replayedPosition = BigInt(replica.position);
    this.#decideByLag(now);
    return null;
  }

  #addSample(sample: Sample): void {
    const { checkedAtMillis } = sample;
    this.#samples = [
      ...this.#samples.filter(
        (previousSample) => checkedAtMillis - previousSample.checkedAtMillis < 60_000,
      ),
      sample,
    ];
  }

  /**
   * Returns the state of the replica; null before the next attempt to open it. After an error, also returns null, stops
   * the use of the replica and closes its connections.
   */
  async #readState(): Promise<ServerState | null> {
    try {
      const database = await this.#open();
      return database && (await readState(database));
    } catch (error) {
      if (error instanceof StartUpError)
        this.#stopUsing(`The service cannot open the replica: ${error.message}`);
      else this.suspend();
      this.#responseController.abort();
      this.#responseController = new AbortController();
      this.#database?.closeImmediately();
      return null;
    }
  }

  async #open(): Promise<Database | null> {
    if (this.#database) return this.#database;
    if (performance.now() - this.#lastAttemptAt < reopenMillis) return null;
    this.#lastAttemptAt = performance.now();
    const database = await openDatabase(this.#url, this.#options);
    if (this.#closeController.signal.aborted) await database.close();
    else this.#database = database;
    return this.#database ?? null;
  }

  /**
   * Uses the replica unless its lag is unknown or too large. While the primary does not respond, its last recorded
   * position counts. If there is no recorded position, the lag is 0.
   */
  #decideByLag(now: number): void {
    const reachedSample = this.#samples.findLast(
      ({ position }) => position <= this.#replayedPosition,
    );
    if (this.#samples.length > 0 && !reachedSample) {
      this.#stopUsing('The replica has not caught up with the primary');
      return;
    }
    const isCurrent = reachedSample === this.#samples.at(-1);
    const lagMillis = isCurrent ? 0 : Math.round(now - (reachedSample?.checkedAtMillis ?? now));
    if (lagMillis > maximumLagMillis) {
      this.#stopUsing('The replica is more than 10 s behind', lagMillis);
      return;
    }
    if (!this.#report.isUsed)
      this.#notify(`The service reads lists and analyses from ${describeDatabase(this.#url)}`);
    this.#report = { ...this.#report, isUsed: true, lagMillis, note: null };
  }

  #stopUsing(reason: string, lagMillis: number | null = null): void {
    const note = `${reason.replace(/\.$/, '')}. The service reads lists and analyses from the primary.`;
    if (note !== this.#report.note) this.#notify(note);
    this.#report = { ...this.#report, isUsed: false, lagMillis, note };
  }

  #notify(message: string): void {
    if (!this.#closeController.signal.aborted) this.#options.notify?.(message);
  }
}

/**
 * Returns the reason why a server is not a replica of the primary; null if it is one, or may be one after it becomes a
 * standby again.
 */
function getDifference(primary: ServerState, replica: ServerState): string | null {
  if (primary.cluster !== replica.cluster) return 'it is a server with other data';
  if (primary.database !== replica.database) {
    return `its database is "${replica.database}" instead of "${primary.database}"`;
  }
  if (primary.runs !== replica.runs) return 'its search path leads to other tables';
  if (replica.is_standby && replica.timeline > primary.timeline) {
    return 'it follows another server, which became a primary';
  }
  return null;
}

/**
 * Returns the state of a server; rejects with the errors of the driver, and with an Error if it has not responded after
 * 2 s.
 */
async function readState(database: Database): Promise<ServerState> {
  const query = sql<ServerState>`
    select pg_is_in_recovery() as is_standby, current_database() as database,
      (select system_identifier::text from pg_control_system()) as cluster,
      (select timeline_id from pg_control_checkpoint()) as timeline,
      to_regclass('runs')::oid::text as runs,
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
        - '0/0')::text as position`;
  const { rows } = await limitTime(query.execute(database.kysely));
  const [state] = rows;
  if (!state) throw new Error('PostgreSQL returned no state');
  return state;
}

/**
 * Returns the end of the log of the primary, including records that are not on disk yet; rejects like {@link
 * readState}.
 */
async function readWrittenPosition({ kysely }: Database): Promise<bigint> {
  const query = sql<{ position: string }>`
    select (pg_current_wal_insert_lsn() - '0/0')::text as position`;
  const { rows } = await limitTime(query.execute(kysely));
  return BigInt(rows[0]?.position ?? unknownPosition);
}

function limitTime<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error('no response within 2 s')),
    responseTimeoutMillis,
  );
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
