import { setTimeout as delay } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

/** The server has no connection left for this user, this database or at all. */
const tooManyConnections = '53300';

/** How long a query waits for a connection while the server accepts no more. */
const patienceMillis = 15_000;

/** How long this process keeps no idle connections after the server refused one. */
const scarceMillis = 30_000;

const usualIdleMillis = 10_000;

/** Long enough that the statements of one request share a connection. */
const scarceIdleMillis = 25;

/**
 * A SELECT without a response for this time, well above the server's own timeout, has lost its server. The connection
 * is closed, which TCP alone would notice after many minutes.
 */
const unansweredMillis = 40_000;

/** How long {@link ConnectionPool.end} waits for statements before it closes their connections. */
const endMillis = 5_000;

/** Returns whether the server refused a connection because there are too many. */
export function isConnectionRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === tooManyConnections;
}

/**
 * A pool of connections that adapts to the number that the server accepts. All pools of this process with the same
 * `group`, in any thread, take turns: when the server refuses a connection, each pool closes its idle connections and
 * opens no more, and the refused one retries. {@link connect} rejects if there is no connection after 15 s. The driver
 * leaves the socket of a failed connection open; this pool closes it.
 */
export class ConnectionPool implements PostgresPool {
  readonly options: object = {};
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<pg.Connection['stream']>();
  readonly #maximum: number;
  readonly #channel: BroadcastChannel;
  #scarce: NodeJS.Timeout | undefined;

  constructor(config: pg.PoolConfig & { max: number }, group: string) {
    this.#maximum = config.max;
    this.#pool = new pg.Pool({
      ...config,
      idleTimeoutMillis: usualIdleMillis,
      Client: clientWith(this.#sockets),
    });
    this.#channel = new BroadcastChannel(group);
    this.#channel.addEventListener('message', () => this.#economise());
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

  /** Whether the server has recently refused a connection to this process. */
  get isScarce(): boolean {
    return this.#scarce !== undefined;
  }

  async connect(): Promise<pg.PoolClient & PostgresPoolClient> {
    const deadline = performance.now() + patienceMillis;
    for (let pause = 10; ; pause = Math.min(2 * pause, 200)) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isConnectionRefusal(error) || performance.now() > deadline) throw error;
      }
      this.#economise();
      this.#channel.postMessage('scarce');
      await delay(pause * (0.5 + Math.random()));
    }
  }

  /** Waits at most 5 s for running statements, then closes all connections. */
  async end(): Promise<void> {
    clearTimeout(this.#scarce);
    this.#channel.close();
    const timer = setTimeout(() => this.breakOff(), endMillis).unref();
    await this.#pool.end().finally(() => clearTimeout(timer));
  }

  /** Closes all connections at once, also those that are being opened; running statements fail. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.destroy(new Error('Connection ended'));
  }

  #economise(): void {
    clearTimeout(this.#scarce);
    const { options } = this.#pool;
    options.max = Math.max(1, this.#pool.totalCount);
    options.idleTimeoutMillis = scarceIdleMillis;
    this.#scarce = setTimeout(() => {
      this.#scarce = undefined;
      options.max = this.#maximum;
      options.idleTimeoutMillis = usualIdleMillis;
    }, scarceMillis).unref();
    for (let idle = this.#pool.idleCount; idle > 0; idle -= 1) void this.#closeIdle();
  }

  async #closeIdle(): Promise<void> {
    const client = await this.#pool.connect().catch(() => undefined);
    client?.release(true);
  }
}

/** The client of the driver. Its socket is in `sockets` until it is closed. */
function clientWith(sockets: Set<pg.Connection['stream']>): new () => pg.ClientBase {
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
      const timer = setTimeout(() => this.#socket.destroy(), unansweredMillis).unref();
      const clear = () => clearTimeout(timer);
      result.then(clear, clear);
    }
  };
}
