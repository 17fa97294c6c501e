/** What `npm start` was asked to do. */
export interface StartRequest {
  /** Never open the window. */
  readonly serveOnly: boolean;
  /** Fill a database without runs with sample runs, without asking. */
  readonly sample: boolean;
  /** All other flags, which are the service's. */
  readonly flags: readonly string[];
}

/** Splits the arguments into the two flags of the start itself, `--serve` and `--sample`, and the service's. */
export function splitArguments(args: readonly string[]): StartRequest {
  return {
    serveOnly: args.includes('--serve'),
    sample: args.includes('--sample'),
    flags: args.filter((arg) => arg !== '--serve' && arg !== '--sample'),
  };
}

/**
 * The flags that may hold a password or a token as the variables of the same meaning, and the other flags: other
 * users of the machine see the flags of a process, not its variables. The last of a kind wins.
 */
export function withoutSecrets(flags: readonly string[]): {
  flags: string[];
  variables: Record<string, string>;
} {
  const rest: string[] = [];
  const variables: Record<string, string> = {};
  for (let index = 0; index < flags.length; index += 1) {
    const [, flag = '', inline] = /^(--[^=]+)(?:=([^]*))?$/.exec(flags[index] ?? '') ?? [];
    const variable = secretVariables[flag];
    if (variable === undefined) rest.push(flags[index] ?? '');
    else variables[variable] = inline ?? flags[++index] ?? '';
  }
  return { flags: rest, variables };
}

const secretVariables: Record<string, string> = {
  '--db': 'SVC_DB_URL',
  '--db-password': 'SVC_DB_PASSWORD',
  '--db-replica': 'SVC_DB_REPLICA_URL',
  '--token': 'SVC_TOKEN',
};

/** What the machine offers for a window. */
export interface WindowConditions {
  readonly serveOnly: boolean;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether this is the superuser, for whom Electron refuses to run on Linux. */
  readonly isRoot: boolean;
}

/** Whether there is a window; or why there is none, null when nobody asked for one. */
export type WindowDecision =
  { readonly opens: true } | { readonly opens: false; readonly reason: string | null };

/** Whether the window can be opened; on Linux that takes a display and an ordinary user. */
export function decideWindow(conditions: WindowConditions): WindowDecision {
  const { serveOnly, platform, environment, isRoot } = conditions;
  const without = (reason: string | null) => ({ opens: false, reason }) as const;
  if (serveOnly) return without(null);
  if (platform === 'darwin' || platform === 'win32') return { opens: true };
  if (!environment.DISPLAY && !environment.WAYLAND_DISPLAY) return without('there is no display');
  if (isRoot) return without('Electron does not run as root');
  return { opens: true };
}

/** What is known of the database before the service opens it. */
export interface DatabaseFacts {
  /** `missing` = a file that will be made; `unknown` = it cannot be read, the service will say why. */
  readonly content: 'missing' | 'empty' | 'filled' | 'unknown';
  /** Whether the user named it, by `--db`, `SVC_DB_URL` or `SVC_DB_URL_FILE`. */
  readonly isNamed: boolean;
  readonly isReadOnly: boolean;
}

/** `fill` at once, `ask` first, `tell` how it is done, `refuse` because there are runs already, or nothing. */
export type SampleDecision = 'fill' | 'ask' | 'tell' | 'refuse' | 'nothing';

/**
 * What to do about sample runs. Only a database without runs gets them, and one that the user named or that was
 * there before only when the user says so. The one that a first start makes by itself is filled where
 * nobody can be asked, so that there is something to look at; not by a service for a server.
 */
export function decideSample(
  { content, isNamed, isReadOnly }: DatabaseFacts,
  { serveOnly, sample }: StartRequest,
  canAsk: boolean,
): SampleDecision {
  if (content === 'unknown' || isReadOnly) return 'nothing';
  if (content === 'filled') return sample ? 'refuse' : 'nothing';
  if (sample) return 'fill';
  if (canAsk) return 'ask';
  return content === 'missing' && !isNamed && !serveOnly ? 'fill' : 'tell';
}

/** Whether an answer to a question with `[Y/n]` means yes: nothing at all, `y` or `yes`. */
export function meansYes(answer: string): boolean {
  return ['', 'y', 'yes'].includes(answer.trim().toLowerCase());
}

/**
 * Whether a window that ended like this could not be opened at all: Electron was killed by a signal of its own
 * making or by the system (exit code above 128), as it is where the system forbids its sandbox.
 */
export function failedToOpen({
  code,
  signal,
}: {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}): boolean {
  const ownFaults: (NodeJS.Signals | null)[] = [
    'SIGTRAP',
    'SIGSEGV',
    'SIGABRT',
    'SIGILL',
    'SIGBUS',
  ];
  return ownFaults.includes(signal) || (code !== null && code > 128 && code < 256);
}

/** A word of a command line as a POSIX shell reads it back: quoted where that is needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
