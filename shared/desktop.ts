import { z } from 'zod';

/** What the window's preload script puts on `window.desktop`; absent in a plain browser. */
export interface DesktopBridge {
  /** Version of the desktop application, e.g. "0.1.0". */
  readonly version: string;
  /** The operating system, as Node's `process.platform` names it. */
  readonly platform: string;
}

/**
 * What the service says once to the process that forked it: where its pages are, or why it cannot start, in
 * sentences for the user. `LEGACY_SCHEMA`: the tables are, or may be, of an old runner, and can be replaced
 * after a backup; `TABLES_OF_OTHERS`: the runner's tables can be made beside those that are there; `FILE_MISSING`:
 * a database can be made there.
 */
export const serviceMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.url({ protocol: /^http$/ }) }),
  z.object({
    type: z.literal('failed'),
    message: z.string().min(1),
    code: z.enum(['LEGACY_SCHEMA', 'TABLES_OF_OTHERS', 'FILE_MISSING']).optional(),
  }),
]);

export type ServiceMessage = z.infer<typeof serviceMessage>;

/** What a caller can do something about when the service does not start. */
export type StartUpCode = NonNullable<Extract<ServiceMessage, { type: 'failed' }>['code']>;
