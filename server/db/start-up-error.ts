import type { StartUpCode } from '#shared/desktop.ts';

/** Why the service cannot start, in one sentence for the user: no stack, no credentials. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly code: StartUpCode | undefined;

  constructor(message: string, code?: StartUpCode) {
    super(message);
    this.code = code;
  }
}
