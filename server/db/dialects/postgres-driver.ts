import { setTimeout as delay } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import {
  PostgresDialect,
  type DatabaseConnection,
  type Dialect,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely';
import pg from 'pg';
import { ProblemError } from '#server/errors.ts';
import type { ExplainedError } from '../dialect.ts';

const { BPCHAR, INT8, NUMERIC } = pg.types.builtins;

/**
 * Returns a safe integer as a number and any other integer as its digits. Returns a decimal, NaN or infinity as the
 * nearest number.
 */
export function toLosslessNumber(text: string): number | string {
  const value = Number(text);
  const isInteger = /^-?\d+$/.test(text);
  return isInteger && !Number.isSafeInteger(value) ? text : value;
}

/** Returns a value of the type `char(n)` without the spaces that fill it, which PostgreSQL ignores too. */
function removePadding(text: string): string {
  return text.replace(/ +$/, '');
}

/**
 * The driver's parsers, with {@link toLosslessNumber} for texts of the types int8 and numeric, and without the padding
 * of `char(n)`.
 */
export const losslessTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== 'binary' && (oid === INT8 || oid === NUMERIC)) return toLosslessNumber;
    return oid === BPCHAR ? removePadding : pg.types.getTypeParser(oid, format);
  },
};

/**
 * Creates a Kysely dialect over a pool. Unlike Kysely's own dialect, it binds U+0000 as U+FFFD, because PostgreSQL
 * rejects any text with U+0000. It also adds an explanation to some errors, and throws VALIDATION_FAILED for a text
 * with a character that the encoding of the database does not have.
 */
export function createPostgresKyselyDialect(pool: PostgresPool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      const adaptedConnections = new WeakSet<DatabaseConnection>();
      driver.acquireConnection = async (options) => {
        const connection = await acquire(options).catch(throwExplainedRefusal);
        if (!adaptedConnections.has(connection)) adapt(connection);
        adaptedConnections.add(connection);
        return connection;
      };
      return driver;
    },
  };
}

/** Codes with which the server refuses a user, a password or a missing database. */
export const accessRefusalCodes: readonly string[] = ['28000', '28P01', '3D000'];

function throwExplainedRefusal(error: unknown): never {
  if (
    error instanceof Error &&
    'code' in error &&
    accessRefusalCodes.includes(String(error.code))
  ) {
    const explainedError: ExplainedError & Error = error;
    explainedError.explanation = `The PostgreSQL server refused access: ${error.message}. Check the database, the user and the password`;
  }
  throw error;
}

function adapt(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    try {
      return await execute({ ...query, parameters: query.parameters.map(removeNul) }, options);
    } catch (error) {
      explain(error, query.sql);
      throw toEncodingError(error) ?? error;
    }
  };
}

/**
 * Returns whether an error reports that the next id of a sequence is already in use. Programs that copy rows to another
 * server, such as logical replication, do not copy the values of sequences.
 */
export function isUsedId(error: unknown): error is pg.DatabaseError {
  // The server may translate all of this text but the column.
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    error.detail?.includes('(id)=') === true
  );
}

/** Pattern of the first word of a statement that changes data or tables or begins a transaction. */
const changingWord = /^\s*(insert|update|delete|create|alter|drop|begin)\b/i;

/**
 * Adds the properties of {@link ExplainedError} to an error with a code. The explanation of a missing privilege names
 * the privilege, because the message of PostgreSQL names only the object.
 */
function explain(error: unknown, statement: string): void {
  if (!(error instanceof Error) || !('code' in error)) return;
  const explainedError: ExplainedError & Error = error;
  const isLocking = /\bfor (no key )?update\b/i.test(statement);
  explainedError.isChange = isLocking || changingWord.test(statement);
  if (error.code === '55P03') {
    explainedError.explanation =
      'Another transaction has a lock that this request needs; try again in a moment';
  }
  if (/conflict with recovery/.test(error.message)) {
    explainedError.explanation =
      'The standby cancelled the query in order to follow its primary; try again in a moment';
  }
  if (error.code === '25006') {
    explainedError.explanation = 'The PostgreSQL server is a standby or read-only';
  }
  if (isUsedId(error)) {
    const table = error.table ?? '';
    explainedError.explanation = `The next id of table "${table}" is already in use, because its sequence is behind its rows. Run SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table}, then try again`;
  }
  if (error.code !== '42501') return;
  const [, filteredTable] =
    /affected by row-level security policy for table (".+")/.exec(error.message) ?? [];
  if (filteredTable !== undefined) {
    explainedError.explanation = `A row-level security policy hides rows of table ${filteredTable} from the database user. Remove it, or use another user`;
    return;
  }
  const [, kind = 'table', name = ''] =
    /permission denied for (?:materialized )?(\w+) (.+)$/.exec(error.message) ?? [];
  const isUsageNeeded =
    kind === 'sequence' || (kind === 'schema' && !/^\s*create\b/i.test(statement));
  const privilege = isUsageNeeded ? 'USAGE' : getPrivilege(statement, isLocking);
  const cause =
    name === ''
      ? `The database user lacks a privilege: ${error.message}`
      : `The database user lacks the privilege ${privilege} on ${kind} "${name}"`;
  // The error for a refused change adds its own remedy.
  explainedError.explanation = explainedError.isChange
    ? cause
    : `${cause}; grant it, then try again`;
}

/**
 * Returns VALIDATION_FAILED with the character if an error reports that the encoding of the database has no such
 * character; undefined for other errors.
 */
function toEncodingError(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === '22P05')) return undefined;
  const bytes = error.message.match(/\b0x[0-9a-f]{2}\b/g);
  if (bytes === null) return undefined;
  return new ProblemError(
    'VALIDATION_FAILED',
    `The encoding of the PostgreSQL database has no character "${Buffer.from(bytes.map(Number)).toString()}". Remove it, or use a database with the encoding UTF8`,
  );
}

function getPrivilege(statement: string, isLocking: boolean): string {
  const word = changingWord.exec(statement)?.[1]?.toUpperCase();
  if (isLocking) return 'UPDATE';
  if (word === undefined) return 'SELECT';
  return /\bon conflict\b.*\bdo update\b/is.test(statement) ? 'INSERT or UPDATE' : word;
}

function removeNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeNul);
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Error code if the server has reached a limit of connections, for this user, this database or in total. */
const tooManyConnections = '53300';

/** Time after which {@link ConnectionPool.connect} no longer retries after a refused connection. */
const connectTimeoutMillis = 15_000;

/**
 * Time after a refused connection during which the pool has no more connections than before and closes idle ones early.
 */
const scarceMillis = 30_000;

const defaultIdleMillis = 10_000;

/** Idle time while connections are scarce: long enough that the statements of one request share a connection. */
const scarceIdleMillis = 25;

/**
 * Time without a complete response after which the server of a SELECT counts as lost, well above the default timeout of
 * statements (30 s). The pool then closes the connection, whose loss TCP would notice only after many minutes.
 */
const responseTimeoutMillis = 40_000;

/** Maximum wait of {@link ConnectionPool.end} for connections in use before it closes them. */
const endMillis = 5_000;

/** Returns whether the server refused a connection because there are too many. */
export function isConnectionRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === tooManyConnections;
}

/**
 * Returns whether an error reports that other queries of this process used all connections of a pool until the timeout.
 */
export function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout exceeded when/.test(error.message);
}

/**
 * A pool of connections that adapts to the number that the server accepts. When the server refuses a connection, all
 * pools of this process with the same `channelName`, in any thread, close their idle connections. For 30 s, each pool
 * then opens at most as many connections as it had, but at least one. The pool with the refused connection retries for
 * 15 s; then {@link connect} rejects with the error of the server. During these 30 s, a wait for a connection in use
 * that times out also rejects with the code of a refusal. The pool does not retry after other errors. The driver leaves
 * the socket of a failed connection open; this pool closes it.
 */
export class ConnectionPool implements PostgresPool {
  readonly options: object = {};
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<pg.Connection['stream']>();
  readonly #maximum: number;
  readonly #channel: BroadcastChannel;
  #scarceTimer: NodeJS.Timeout | undefined;

  constructor(config: pg.PoolConfig & { max: number }, channelName: string) {
    this.#maximum = config.max;
    this.#pool = new pg.Pool({
      ...config,
      idleTimeoutMillis: defaultIdleMillis,
      Client: makeClientClass(this.#sockets),
    });
    this.#channel = new BroadcastChannel(channelName);
    this.#channel.addEventListener('message', () => this.#reduceConnections());
    this.#channel.unref();
  }

  /** Calls `listener` once for each lost connection. Without a listener, a loss would end the process. */
  onLoss(listener: (message: string) => void): void {
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.once('error', ({ message }) => listener(message));
      client.on('error', () => {});
    });
  }

  /** Whether the server has refused a connection to one of the pools with the same name within the last 30 s. */
  get isScarce(): boolean {
    return this.#scarceTimer !== undefined;
  }

  /** Returns a connection, which the caller must release. Rejects as the description of the class states. */
  async connect(): Promise<pg.PoolClient & PostgresPoolClient> {
    const deadline = performance.now() + connectTimeoutMillis;
    for (let pauseMillis = 10; ; pauseMillis = Math.min(2 * pauseMillis, 200)) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (this.isScarce && isQueueTimeout(error))
          throw Object.assign(error as Error, { code: tooManyConnections });
        if (!isConnectionRefusal(error) || performance.now() > deadline) throw error;
      }
      this.#reduceConnections();
      this.#channel.postMessage('scarce');
      await delay(pauseMillis * (0.5 + Math.random()));
    }
  }

  /** Waits at most 5 s for connections in use, then closes all connections. */
  async end(): Promise<void> {
    clearTimeout(this.#scarceTimer);
    this.#channel.close();
    const timer = setTimeout(() => this.closeImmediately(), endMillis).unref();
    await this.#pool.end().finally(() => clearTimeout(timer));
  }

  /** Closes all connections immediately, including pending ones; running statements fail. */
  closeImmediately(): void {
    for (const socket of this.#sockets) socket.destroy(new Error('Connection ended'));
  }

  #reduceConnections(): void {
    clearTimeout(this.#scarceTimer);
    const { options } = this.#pool;
    options.max = Math.max(1, this.#pool.totalCount);
    options.idleTimeoutMillis = scarceIdleMillis;
    this.#scarceTimer = setTimeout(() => {
      this.#scarceTimer = undefined;
      options.max = this.#maximum;
      options.idleTimeoutMillis = defaultIdleMillis;
    }, scarceMillis).unref();
    for (let idleCount = this.#pool.idleCount; idleCount > 0; idleCount -= 1)
      void this.#closeIdleConnection();
  }

  async #closeIdleConnection(): Promise<void> {
    const client = await this.#pool.connect().catch(() => undefined);
    client?.release(true);
  }
}

/** Returns the class of the driver's clients. The socket of a client is in `sockets` until it closes. */
function makeClientClass(sockets: Set<pg.Connection['stream']>): new () => pg.ClientBase {
  return class extends pg.Client {
    readonly #socket: pg.Connection['stream'];

    constructor(config?: pg.ClientConfig) {
      super(config);
      this.#socket = this.connection.stream;
      sockets.add(this.#socket);
      this.#socket.once('close', () => sockets.delete(this.#socket));
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | void {
      if (!callback) return super.connect() as Promise<this>;
      super.connect((error: Error) => {
        if (error) this.#socket.destroy();
        callback(error);
      });
    }

    override query(...parameters: unknown[]): never {
      const result = (super.query as (...values: unknown[]) => unknown)(...parameters);
      const [text] = parameters;
      if (typeof text === 'string' && /^\s*(select|with)\b/i.test(text)) this.#limit(result);
      return result as never;
    }

    #limit(result: unknown): void {
      if (!(result instanceof Promise)) return;
      const timer = setTimeout(() => this.#socket.destroy(), responseTimeoutMillis).unref();
      const clear = () => clearTimeout(timer);
      result.then(clear, clear);
    }
  };
}
