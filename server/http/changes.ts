import type { Response } from 'express';
import type { Logger } from 'pino';
import type { DatabaseChange } from '#shared/schemas/service.ts';
import { ProblemError } from '#server/errors.ts';

/**
 * Maximum number of clients that listen to changes at the same time. It also limits, separately, clients of imports.
 */
export const maximumStreams = 64;

/**
 * Maximum number of bytes in the buffer of a response when the feed sends the next text. The feed disconnects a client
 * with more, because it has stopped reading.
 */
const maximumBacklogBytes = 65_536;

/** Reads the state of the database. */
export interface ChangeSource {
  /**
   * Returns the change cursor, a text that differs after a change; cheap to read. See {@link SessionData.readCursor}.
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
  /** Interval of the comments that show clients that the connection is open; 15,000 by default. */
  heartbeatMillis?: number;
}

/**
 * Sends a server-sent event to the clients when the database changes. One watcher serves all clients and stops while no
 * client listens.
 */
export class ChangeFeed {
  readonly #source: ChangeSource;
  readonly #logger: Logger;
  readonly #intervalMillis: number;
  readonly #heartbeatMillis: number;
  readonly #clients = new Set<Response>();
  /**
   * The last state that the watcher sent, or until then the first one that the feed read for a client; else undefined.
   */
  #lastChange: Change | undefined;
  #watcher: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(source: ChangeSource, options: ChangeFeedOptions) {
    this.#source = source;
    this.#logger = options.logger;
    this.#intervalMillis = options.intervalMillis ?? 1_000;
    this.#heartbeatMillis = options.heartbeatMillis ?? 15_000;
  }

  /** Number of listening clients. */
  get size(): number {
    return this.#clients.size;
  }

  /**
   * Makes the response an event stream that starts with the current state. The stream ends when the client disconnects
   * or stops reading, two consecutive polls fail, or the feed closes; for HEAD, it ends after the current state. Throws
   * TOO_MANY_STREAMS if {@link maximumStreams} clients listen or the feed is closed, and the errors of {@link
   * ChangeSource}.
   */
  async subscribe(response: Response): Promise<void> {
    this.#addClient(response);
    try {
      const previousChange = this.#lastChange;
      const change = await this.#read(await this.#source.readCursor());
      // Only the watcher replaces a previous state, because the other clients have not received the state that a new
      // client reads.
      this.#lastChange ??= change;
      if (response.closed) return;
      startStream(response);
      this.#send(response, change.text);
      // The watcher may have sent a later state before this client listened.
      const latestChange = this.#lastChange === previousChange ? change : this.#lastChange;
      if (latestChange.cursor !== change.cursor) this.#send(response, latestChange.text);
      if (response.req.method === 'HEAD' || this.#isClosed) response.end();
    } catch (error) {
      this.#removeClient(response);
      throw error;
    }
  }

  /**
   * Ends all streams and the watcher permanently. Streams that have started get `lastEvent`, if it is defined; others
   * end after the current state.
   */
  close(lastEvent?: DatabaseChange): void {
    this.#isClosed = true;
    this.#endStreams(lastEvent && formatEvent(lastEvent.cursor, JSON.stringify(lastEvent)));
    this.#clients.clear();
    this.#stopWatching();
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
    if (this.#clients.size === 1) this.#startWatching();
  }

  #removeClient(response: Response): void {
    this.#clients.delete(response);
    if (this.#clients.size === 0) this.#stopWatching();
  }

  #startWatching(): void {
    this.#schedule();
    this.#heartbeat = setInterval(() => this.#broadcast(': still here\n\n'), this.#heartbeatMillis);
    this.#heartbeat.unref();
  }

  #stopWatching(): void {
    clearTimeout(this.#watcher);
    clearInterval(this.#heartbeat);
    this.#watcher = undefined;
    this.#lastChange = undefined;
  }

  #schedule(): void {
    const watcher = setTimeout(() => void this.#poll(watcher), this.#intervalMillis);
    watcher.unref();
    this.#watcher = watcher;
  }

  async #poll(watcher: NodeJS.Timeout): Promise<void> {
    try {
      const cursor = await this.#source.readCursor();
      if (cursor !== this.#lastChange?.cursor) await this.#announce(cursor);
      this.#hasFailed = false;
    } catch (error) {
      // The clients reconnect and get the reason instead of a stream.
      if (this.#hasFailed) this.#endStreams();
      else {
        const message =
          'Cannot watch the database for changes. The service tries again at the next poll.';
        this.#logger.warn({ err: error }, message);
      }
      this.#hasFailed = true;
    }
    // Meanwhile, the last client may have disconnected, and a new one may have started another watcher.
    if (this.#watcher === watcher) this.#schedule();
  }

  async #read(cursor: string): Promise<Change> {
    const data = await this.#source.describe(cursor);
    return { cursor, text: formatEvent(cursor, data) };
  }

  async #announce(cursor: string): Promise<void> {
    this.#lastChange = await this.#read(cursor);
    this.#broadcast(this.#lastChange.text);
  }

  /** Ends the streams that have started. Otherwise {@link subscribe} first sends the state or the error to a client. */
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
