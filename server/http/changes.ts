import type { Response } from 'express';
import type { Logger } from 'pino';
import type { DatabaseChange } from '#shared/schemas/service.ts';
import { ProblemError } from '#server/errors.ts';

/**
 * Maximum number of clients that listen to changes at the same time. The same limit applies separately to clients that
 * follow imports.
 */
export const maximumStreams = 64;

/**
 * Maximum number of bytes in the buffer of a response when the feed sends the next text. The feed disconnects a client
 * with more bytes, because this client has stopped reading.
 */
const maximumBacklogBytes = 65_536;

/** Comment that shows clients, and proxies that close quiet connections, that the connection is open. */
const heartbeat = ': still here\n\n';
const defaultHeartbeatMillis = 15_000;

/** Reads the state of the database. */
export interface ChangeSource {
  /**
   * Returns the change cursor: a text that differs after each change and is cheap to read. See {@link
   * SessionData.readCursor}.
   */
  readCursor: () => Promise<string>;
  /**
   * Returns the current state, with this cursor, as JSON for the clients. The feed calls it after each change and for
   * each new client.
   */
  describe: (cursor: string) => Promise<string>;
}

/** A state of the database with the text that clients receive. */
interface Change {
  cursor: string;
  text: string;
}

/** Options of a {@link ChangeFeed}. */
export interface ChangeFeedOptions {
  logger: Logger;
  /** Pause between two polls of the cursor while a client listens; 1,000 by default. */
  intervalMillis?: number;
  /** Interval of the {@link heartbeat}; 15,000 by default. */
  heartbeatMillis?: number;
}

/**
 * Sends a server-sent event to the clients when the database changes. One poll serves all clients, and the feed does
 * not poll while no client listens.
 */
export class ChangeFeed {
  readonly #source: ChangeSource;
  readonly #logger: Logger;
  readonly #intervalMillis: number;
  readonly #heartbeatMillis: number;
  readonly #clients = new Set<Response>();
  /**
   * The last state that a poll sent. Before that, the first state that the feed read for a client. Undefined if there
   * is neither, or while no client listens.
   */
  #lastChange: Change | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(source: ChangeSource, options: ChangeFeedOptions) {
    this.#source = source;
    this.#logger = options.logger;
    this.#intervalMillis = options.intervalMillis ?? 1_000;
    this.#heartbeatMillis = options.heartbeatMillis ?? defaultHeartbeatMillis;
  }

  /** Number of listening clients. */
  get size(): number {
    return this.#clients.size;
  }

  /**
   * Makes the response an event stream that starts with the current state. The stream ends when the client disconnects
   * or stops reading, when two consecutive polls fail, or when the feed closes. For HEAD, it ends after the current
   * state. Throws TOO_MANY_STREAMS if {@link maximumStreams} clients listen or the feed is closed, and the errors of
   * {@link ChangeSource}.
   */
  async subscribe(response: Response): Promise<void> {
    this.#addClient(response);
    try {
      const previousChange = this.#lastChange;
      const change = await this.#read(await this.#source.readCursor());
      // Only a poll replaces a previous state, because other clients have not received the state that the feed reads
      // for a new client.
      this.#lastChange ??= change;
      if (response.closed) return;
      startStream(response);
      this.#send(response, change.text);
      // A poll may have sent a later state before this stream started.
      const latestChange = this.#lastChange === previousChange ? change : this.#lastChange;
      if (latestChange.cursor !== change.cursor) this.#send(response, latestChange.text);
      if (response.req.method === 'HEAD' || this.#isClosed) response.end();
    } catch (error) {
      this.#removeClient(response);
      throw error;
    }
  }

  /**
   * Ends all streams and polls permanently. Streams that have started get `lastEvent`, if it is defined. Other streams
   * end after the current state.
   */
  close(lastEvent?: DatabaseChange): void {
    this.#isClosed = true;
    this.#endStreams(lastEvent && formatEvent(lastEvent.cursor, JSON.stringify(lastEvent)));
    this.#clients.clear();
    this.#stopPolling();
  }

  #addClient(response: Response): void {
    if (this.#isClosed || this.#clients.size >= maximumStreams) {
      throw new ProblemError(
        'TOO_MANY_STREAMS',
        `${maximumStreams} clients are already following the changes, which is the limit. Close one of them, or poll instead.`,
        { headers: { 'Retry-After': '5' } },
      );
    }
    this.#clients.add(response);
    response.once('close', () => this.#removeClient(response));
    if (this.#clients.size === 1) this.#startPolling();
  }

  #removeClient(response: Response): void {
    this.#clients.delete(response);
    if (this.#clients.size === 0) this.#stopPolling();
  }

  #startPolling(): void {
    this.#schedule();
    this.#heartbeat = setInterval(() => this.#broadcast(heartbeat), this.#heartbeatMillis);
    this.#heartbeat.unref();
  }

  #stopPolling(): void {
    clearTimeout(this.#pollTimer);
    clearInterval(this.#heartbeat);
    this.#pollTimer = undefined;
    this.#lastChange = undefined;
  }

  #schedule(): void {
    const timer = setTimeout(() => void this.#poll(timer), this.#intervalMillis);
    timer.unref();
    this.#pollTimer = timer;
  }

  async #poll(timer: NodeJS.Timeout): Promise<void> {
    try {
      const cursor = await this.#source.readCursor();
      if (cursor !== this.#lastChange?.cursor) await this.#announce(cursor);
      this.#hasFailed = false;
    } catch (error) {
      // The clients then reconnect, and get the error instead of a stream.
      if (this.#hasFailed) this.#endStreams();
      else {
        const message =
          'Cannot watch the database for changes. The service tries again at the next poll.';
        this.#logger.warn({ err: error }, message);
      }
      this.#hasFailed = true;
    }
    // Meanwhile, the last client may have disconnected, and a new one may have started another timer.
    if (this.#pollTimer === timer) this.#schedule();
  }

  async #read(cursor: string): Promise<Change> {
    const data = await this.#source.describe(cursor);
    return { cursor, text: formatEvent(cursor, data) };
  }

  async #announce(cursor: string): Promise<void> {
    this.#lastChange = await this.#read(cursor);
    this.#broadcast(this.#lastChange.text);
  }

  /** Ends the streams that have started. {@link subscribe} still sends the other clients a state or an error. */
  #endStreams(lastText = ''): void {
    for (const client of this.#clients) if (client.headersSent) client.end(lastText);
  }

  #broadcast(text: string): void {
    for (const client of this.#clients) if (client.headersSent) this.#send(client, text);
  }

  #send(client: Response, text: string): void {
    if (client.writableLength > maximumBacklogBytes) client.destroy();
    else client.write(text);
  }
}

function formatEvent(cursor: string, data: string): string {
  return `id: ${cursor.replaceAll(/\s/g, '')}\ndata: ${data}\n\n`;
}

/** Sends the headers of an event stream. */
export function startStream(response: Response): void {
  response.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
}

/** Sends a {@link heartbeat} every 15 s until the stream closes, except while the client does not read. */
export function sendHeartbeats(response: Response): void {
  const timer = setInterval(() => {
    if (response.writableLength === 0) response.write(heartbeat);
  }, defaultHeartbeatMillis);
  timer.unref();
  response.once('close', () => clearInterval(timer));
}
