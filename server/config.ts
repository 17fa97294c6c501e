import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartUpError } from './db/start-up-error.ts';
import { parseDatabaseUrl, type DatabaseUrl } from './db/url.ts';
import { logLevels, type LogLevel } from './logger.ts';

/** Everything that can be set from outside. */
export interface Config {
  database: DatabaseUrl;
  /** 0 = any free one. */
  port: number;
  host: string;
  token: string | undefined;
  /** Names besides the loopback ones that a request's `Host` may have. */
  allowedHosts: string[];
  artifactsDirectory: string | undefined;
  readOnly: boolean;
  logLevel: LogLevel;
  pagesDirectory: string | undefined;
  /** How much of the traces of runs is kept in memory. */
  traceMegabytes: number;
  /** What happens to tables of a runner before version 3; undefined: those that surely are its are replaced. */
  legacy: 'replace' | 'refuse' | undefined;
  /** Whether the runner's tables may be made beside those of another program; false: a missing file is not made either. */
  create: boolean | undefined;
}

/** What the arguments ask for: a question about the program, or to run; or what is wrong with them. */
export type Request =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'faults'; faults: string[] }
  | { kind: 'run'; config: Config };

/** A setting: its flag, its variable, and what `--help` says of it. */
interface Setting {
  variable: string;
  value?: string;
  help: string;
}

const settings = {
  db: {
    variable: 'SVC_DB_URL',
    value: 'url',
    help: 'database: jdbc:sqlite:<file>, jdbc:postgresql://<host>/<database> or the path of a SQLite file (default jdbc:sqlite:evoscope.db)',
  },
  'db-user': { variable: 'SVC_DB_USER', value: 'name', help: 'user of the PostgreSQL database' },
  'db-password': {
    variable: 'SVC_DB_PASSWORD',
    value: 'text',
    help: 'password of that user; other users of the machine may see flags: prefer the variable or a file',
  },
  port: {
    variable: 'SVC_PORT',
    value: 'n',
    help: 'port to listen on (default 7070; 0 = any free)',
  },
  host: {
    variable: 'SVC_HOST',
    value: 'address',
    help: 'address to listen on (default 127.0.0.1); any but a loopback address needs a token',
  },
  token: {
    variable: 'SVC_TOKEN',
    value: 'text',
    help: 'asked for as "Authorization: Bearer <text>"; at least 16 characters',
  },
  'allowed-hosts': {
    variable: 'SVC_ALLOWED_HOSTS',
    value: 'names',
    help: 'further names of this service, separated by commas',
  },
  'artifacts-dir': {
    variable: 'SVC_ARTIFACTS_DIR',
    value: 'folder',
    help: 'where the runner keeps files of runs (default: results, beside the SQLite file)',
  },
  'read-only': { variable: 'SVC_READ_ONLY', help: 'never write to the database' },
  'log-level': {
    variable: 'SVC_LOG_LEVEL',
    value: 'level',
    help: `${logLevels.join(', ')} (info)`,
  },
  pages: {
    variable: 'SVC_PAGES_DIR',
    value: 'folder',
    help: 'the built pages (default: dist/renderer of this program)',
  },
  'trace-memory': {
    variable: 'SVC_TRACE_MEMORY',
    value: 'MB',
    help: 'memory for traces of runs that were read, so that they are read once (default 256)',
  },
  legacy: {
    variable: 'SVC_LEGACY',
    value: 'what',
    help: 'tables of a runner before version 3 are replaced after a backup; replace: also those that only look like them; refuse: none',
  },
  create: {
    variable: 'SVC_CREATE',
    help: "make the runner's tables also in a database that has others; 0: make no missing file either",
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;

const names = Object.keys(settings) as SettingName[];

/** The given texts with where they came from, for the faults: `--port` or `SVC_PORT`. */
type Given = Partial<Record<SettingName, { text: string; source: string }>>;

/**
 * Reads flags (`--port 80` or `--port=80`; the last of a kind wins) and, where a flag is not given, the
 * variable of the same meaning, or the file that the variable with `_FILE` names; an empty one is none. All faults are collected, one sentence each, none
 * with a credential in it. Relative paths resolve against `workingDirectory`.
 */
export function readRequest(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  workingDirectory: string,
): Request {
  const faults: string[] = [];
  const { given, questions } = readFlags(flags, faults);
  if (questions.has('help')) return { kind: 'help' };
  if (questions.has('version')) return { kind: 'version' };
  for (const name of names) {
    const { variable } = settings[name];
    const file = environment[`${variable}_FILE`];
    const text = environment[variable] || (file && readValue(file, workingDirectory));
    if (text) given[name] ??= { text, source: variable };
    else if (text === null) faults.push(`${variable}_FILE names a file that cannot be read`);
  }
  const config = toConfig(given, workingDirectory, faults);
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'run', config };
}

/** The first line of a file, null when it cannot be read: secrets are handed to containers in files. */
function readValue(file: string, workingDirectory: string): string | null {
  try {
    return readFileSync(resolve(workingDirectory, file), 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch {
    return null;
  }
}

/** What `--help` prints. */
export function helpText(): string {
  const lines = names.map((name) => {
    const setting: Setting = settings[name];
    const flag = `--${name}${setting.value === undefined ? '' : ` <${setting.value}>`}`;
    return `  ${flag.padEnd(26)}${setting.variable.padEnd(20)}${setting.help}`;
  });
  return ['Evoscope: evolutionary optimisation runs, watched and compared.', '']
    .concat('Flags, and the environment variables that say the same:', lines)
    .concat('  --help, --version', '', 'SVC_…_FILE names a file that holds the value of SVC_….')
    .join('\n');
}

function readFlags(flags: readonly string[], faults: string[]) {
  const options = Object.fromEntries(
    names.map((name) => [name, { type: isSwitch(name) ? 'boolean' : 'string' } as const]),
  );
  const questions = new Set<string>();
  const given: Given = {};
  const { tokens } = parseArgs({ args: [...flags], options, strict: false, tokens: true });
  let unknownAt = -2;
  for (const token of tokens) {
    // What follows an unknown flag is its value more likely than a second fault.
    if (token.kind === 'positional' && token.index !== unknownAt + 1) {
      faults.push(`Unexpected argument "${token.value}"`);
    }
    if (token.kind !== 'option') continue;
    const name = names.find((known) => known === token.name);
    const text = token.value ?? (name && isSwitch(name) ? '1' : '');
    if (token.name === 'help' || token.name === 'version') questions.add(token.name);
    else if (name === undefined) {
      faults.push(`Unknown flag ${token.rawName}: see --help`);
      unknownAt = token.index;
    } else if (text === '') faults.push(`--${name} needs a value`);
    else given[name] = { text, source: `--${name}` };
  }
  return { given, questions };
}

function isSwitch(name: SettingName): boolean {
  return !('value' in settings[name]);
}

function toConfig(given: Given, workingDirectory: string, faults: string[]): Config {
  const read = <Value>(
    name: SettingName,
    fallback: Value,
    parse: (text: string) => Value | undefined,
    mustBe: string,
  ): Value => {
    const setting = given[name];
    if (!setting) return fallback;
    const value = parse(setting.text);
    if (value === undefined) faults.push(`${setting.source} must be ${mustBe}`);
    return value ?? fallback;
  };
  const folder = (name: SettingName) => given[name] && resolve(workingDirectory, given[name].text);
  const host = read('host', '127.0.0.1', readHost, 'an address or a host name');
  const token = read('token', undefined, readToken, 'at least 16 visible ASCII characters');
  if (!isLoopback(host) && token === undefined) {
    faults.push(
      `${given.host?.source ?? 'SVC_HOST'} lets other machines in: set a token with SVC_TOKEN or --token`,
    );
  }
  return {
    database: readDatabase(given, workingDirectory, faults),
    port: read('port', 7070, readPort, 'a whole number from 0 to 65535'),
    host,
    token,
    allowedHosts: read('allowed-hosts', [], readNames, 'host names separated by commas'),
    artifactsDirectory: folder('artifacts-dir'),
    readOnly: read('read-only', false, readSwitch, '1 or 0'),
    logLevel: read('log-level', 'info', oneOf(logLevels), `one of ${logLevels.join(', ')}`),
    pagesDirectory: folder('pages'),
    traceMegabytes: read(
      'trace-memory',
      256,
      readMegabytes,
      'a whole number of megabytes, at most 65536',
    ),
    legacy: read('legacy', undefined, oneOf(['replace', 'refuse']), 'replace or refuse'),
    create: read('create', undefined, readSwitch, '1 or 0'),
  };
}

function readDatabase(given: Given, workingDirectory: string, faults: string[]): DatabaseUrl {
  const defaults = {
    workingDirectory,
    user: given['db-user']?.text,
    password: given['db-password']?.text,
  };
  try {
    if (given.db) return parseDatabaseUrl(given.db.text, defaults);
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    faults.push(`${given.db?.source}: ${error.message}`);
  }
  return parseDatabaseUrl('jdbc:sqlite:evoscope.db', defaults);
}

/** Whether only this machine can reach the address. */
function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  const isName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_-]+)*\.?$/i.test(host);
  return isIP(host) !== 0 || isName ? host : undefined;
}

function readToken(text: string): string | undefined {
  return /^[\x21-\x7e]{16,}$/.test(text) ? text : undefined;
}

function readPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

function readMegabytes(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_536 ? Number(text) : undefined;
}

function readNames(text: string): string[] | undefined {
  const hosts = text.split(',').map((name) => name.trim());
  return hosts.every((host) => /^[a-z0-9_.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i.test(host))
    ? hosts
    : undefined;
}

function readSwitch(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}

function oneOf<const Value extends string>(values: readonly Value[]) {
  return (text: string): Value | undefined =>
    values.find((value) => value === text.trim().toLowerCase());
}
