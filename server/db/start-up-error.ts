import type { StartUpCode } from '#shared/desktop.ts';

/** The part of what names a database that is at fault: what a form has a field for. */
export type PlacePart =
  'file' | 'host' | 'port' | 'database' | 'user' | 'password' | 'sslmode' | 'schema';

/** Why a database, or the service, cannot be opened, in one sentence for the user: no stack, no credentials. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly code: StartUpCode | undefined;
  readonly part: PlacePart | undefined;
  /** What it means for requests when a database that was open cannot be opened again. */
  readonly kind: 'unavailable' | 'connections' | 'forbidden';

  constructor(
    message: string,
    code?: StartUpCode,
    part?: PlacePart,
    kind: StartUpError['kind'] = 'unavailable',
  ) {
    super(message);
    this.code = code;
    this.part = part;
    this.kind = kind;
  }
}

/**
 * Another program has replaced or removed a SQLite file or its write-ahead log while this process had it open. All
 * connections of the process must be closed before another can be opened; nothing is written until then.
 */
export class LostLogError extends StartUpError {
  constructor(file: string) {
    super(
      `Another program replaced or removed the database file ${file} or its write-ahead log. Try again in a moment`,
    );
  }
}
