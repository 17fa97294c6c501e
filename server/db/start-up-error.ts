import type { StartUpCode } from '#shared/desktop.ts';

/** A field of the location of a database that an error reports as invalid. A field of a form has the same name. */
export type LocationField =
  'file' | 'host' | 'port' | 'database' | 'user' | 'password' | 'sslmode' | 'schema';

/**
 * The error of a database that a program cannot open, or of a service that cannot start. Its message is for the user
 * and contains no credentials.
 */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly code: StartUpCode | undefined;
  readonly field: LocationField | undefined;
  /**
   * The kind of failure of requests if the service cannot reopen an open database. `refused`: the content, server or
   * settings of the database do not allow opening it.
   */
  readonly kind: 'unavailable' | 'connections' | 'forbidden' | 'refused';

  constructor(
    message: string,
    code?: StartUpCode,
    field?: LocationField,
    kind: StartUpError['kind'] = 'refused',
  ) {
    super(message);
    this.code = code;
    this.field = field;
    this.kind = kind;
  }
}

/**
 * The error after another program has replaced or deleted a SQLite file or its write-ahead log while this process had
 * the database open. The process must close all its connections to the database before it opens another one. Until
 * then, it writes nothing.
 */
export class LostLogError extends StartUpError {
  constructor(file: string) {
    super(
      `Another program replaced or deleted the database file ${file} or its write-ahead log. Try again in a moment`,
    );
  }
}
