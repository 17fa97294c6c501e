/** What a caller can do about a refusal to start: ask before tables of an old runner are replaced. */
export type StartUpErrorCode = 'LEGACY_SCHEMA';

/** Why the service cannot start, in one sentence for the user: no stack, no credentials. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly code: StartUpErrorCode | undefined;

  constructor(message: string, code?: StartUpErrorCode) {
    super(message);
    this.code = code;
  }
}
