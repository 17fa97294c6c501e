import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { anyFolder } from '#shared/desktop.ts';
import { getFileFault, readVariable } from './db/read-variable.ts';
import type { ChoosingRules } from './runtime/choices.ts';
import { StartUpError } from './db/start-up-error.ts';
import { parseDatabaseUrl, type DatabaseUrl, type PostgresUrl } from './db/url.ts';
import { logLevels, type LogLevel } from './logger.ts';
import { isSwitch, settingNames, settings, type SettingName } from './settings.ts';

/** The configuration of the service. */
export interface Config {
  /** The named or default database; null if the user names none and chooses one on the pages. */
  database: DatabaseUrl | null;
  /** Whether the user named the database, by flag, variable or file. */
  isDatabaseNamed: boolean;
  /** The streaming replica of the database; null if there is none. */
  replica: PostgresUrl | null;
  /** Rules for choosing databases on the pages; null if users cannot choose any. */
  choosingRules: ChoosingRules | null;
  /** Port to listen on; 0 for any free port. */
  port: number;
  host: string;
  token: string | undefined;
  /** Names that the `Host` header of a request may have, in addition to `host` and the loopback ones. */
  allowedHosts: string[];
  artifactsDirectory: string | undefined;
  isReadOnly: boolean;
  /** Whether clients may record runs. */
  isRecording: boolean;
  /** Whether clients of the Model Context Protocol may request that runs stop, even if clients may not record runs. */
  canControlByMcp: boolean;
  logLevel: LogLevel;
  pagesFolder: string | undefined;
  /** Maximum size of the cache of the traces of runs in memory. */
  traceMegabytes: number;
  /** Folder of the cache of traces on disk; undefined if there is no such cache. */
  cacheDirectory: string | undefined;
  /** Maximum size of the cache of traces on disk. */
  cacheMegabytes: number;
  /** Handling of tables of a runner before version 3; undefined for the default of {@link OwnershipOptions}. */
  legacy: 'replace' | 'refuse' | undefined;
  /**
   * Whether the service may create the runner's tables next to those of another program. If this is undefined, the
   * service may not, but it creates a missing file. If this is false, the service creates no missing file either.
   */
  canCreate: boolean | undefined;
}

/** The command of flags and variables: show the help, show the version, or run the service; or their faults. */
export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'faults'; faults: string[] }
  | { kind: 'run'; config: Config };

/** The text of each setting that has one, with the label that a fault shows: `--port` or `SVC_PORT`. */
type SettingTexts = Partial<Record<SettingName, { text: string; label: string }>>;

/**
 * Reads flags (`--port 80` or `--port=80`; the last one of a kind wins). For a setting without a flag, reads its
 * variable. If that is missing or empty, reads the first line of the file that the variable with `_FILE` names. An
 * unreadable file or an empty first line is a fault, even if the setting has a flag. Returns the configuration, or all
 * faults, one sentence each, without the password or token of a setting. For `--help` and `--version`, returns only the
 * kind of the command. Relative paths of files and folders resolve against `workingDirectory`. `isForStdio`: whether
 * the service has only one MCP client. By default, such a service uses any free port, creates no file, replaces no old
 * tables, and is read-only unless flags or variables enable recording or stop requests.
 */
export function readCommand(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  workingDirectory: string,
  { isForStdio = false } = {},
): Command {
  const faults: string[] = [];
  const { texts, helpFlags } = readFlags(flags, faults);
  if (helpFlags.has('help')) return { kind: 'help' };
  if (helpFlags.has('version')) return { kind: 'version' };
  for (const name of settingNames) {
    const { variable } = settings[name];
    const text = readVariable(variable, environment, workingDirectory);
    if (text) texts[name] ??= { text, label: variable };
    else if (text === null) faults.push(getFileFault(variable));
  }
  const config = toConfig(texts, workingDirectory, faults, isForStdio);
  if (config.isRecording && config.isReadOnly) {
    faults.push(
      `${texts.record?.label} has no effect with ${texts['read-only']?.label}: omit one of them`,
    );
  }
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'run', config };
}

function readFlags(flags: readonly string[], faults: string[]) {
  const options = Object.fromEntries(
    settingNames.map((name) => [name, { type: isSwitch(name) ? 'boolean' : 'string' } as const]),
  );
  const helpFlags = new Set<string>();
  const texts: SettingTexts = {};
  const { tokens } = parseArgs({ args: [...flags], options, strict: false, tokens: true });
  let unknownFlagIndex = -2;
  let lastSwitch: { name: SettingName; index: number } | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional' && lastSwitch?.index === token.index - 1) {
      texts[lastSwitch.name] = { text: token.value, label: `--${lastSwitch.name}` };
      continue;
    }
    // An argument after an unknown flag is probably its value, and not a second fault.
    if (token.kind === 'positional' && token.index !== unknownFlagIndex + 1) {
      faults.push(`Unexpected argument "${token.value}": see --help`);
    }
    if (token.kind !== 'option') continue;
    const name = settingNames.find((setting) => setting === token.name);
    const text = token.value ?? (name && isSwitch(name) ? '1' : '');
    if (name && token.value === undefined && 'value' in settings[name]) {
      lastSwitch = { name, index: token.index };
    }
    if (token.name === 'help' || token.name === 'version') helpFlags.add(token.name);
    else if (name === undefined) {
      faults.push(`Unknown flag ${token.rawName}: see --help`);
      unknownFlagIndex = token.index;
    } else if (text === '') faults.push(`--${name} needs a value: see --help`);
    else texts[name] = { text, label: `--${name}` };
  }
  return { texts, helpFlags };
}

function toConfig(
  texts: SettingTexts,
  workingDirectory: string,
  faults: string[],
  isForStdio: boolean,
): Config {
  const readSetting = <Value>(
    name: SettingName,
    defaultValue: Value,
    parse: (text: string) => Value | undefined,
    requirement: string,
  ): Value => {
    const setting = texts[name];
    if (!setting) return defaultValue;
    const value = parse(setting.text);
    if (value === undefined) faults.push(`${setting.label} must be ${requirement}`);
    return value ?? defaultValue;
  };
  const resolveFolder = (name: SettingName) =>
    texts[name] && resolve(workingDirectory, texts[name].text);
  const host = readSetting('host', '127.0.0.1', parseHost, 'an address or a host name');
  const token = readSetting('token', undefined, parseToken, 'at least 16 visible ASCII characters');
  if (!isLoopback(host) && token === undefined) {
    faults.push(
      `${texts.host?.label ?? 'SVC_HOST'} allows access from other machines: set a token with SVC_TOKEN or --token`,
    );
  }
  const isRecording = readSetting('record', false, parseSwitch, '1 or 0');
  const canControlByMcp = readSetting('mcp-control', false, parseSwitch, '1 or 0');
  const choosingRules = readChoosingRules(texts, workingDirectory, faults);
  const database =
    texts.db || !choosingRules ? readDatabase(texts, workingDirectory, faults) : null;
  return {
    database,
    isDatabaseNamed: texts.db !== undefined,
    replica: readReplica(texts, database, faults),
    choosingRules,
    port: readSetting(
      'port',
      isForStdio ? 0 : 7070,
      parseNumberUpTo(65_535),
      'a whole number from 0 to 65535',
    ),
    host,
    token,
    allowedHosts: readSetting('allowed-hosts', [], parseNames, 'host names separated by commas'),
    artifactsDirectory: resolveFolder('artifacts-dir'),
    isReadOnly: readSetting(
      'read-only',
      isForStdio && !isRecording && !canControlByMcp,
      parseSwitch,
      '1 or 0',
    ),
    isRecording,
    canControlByMcp,
    logLevel: readSetting(
      'log-level',
      'info',
      parseOneOf(logLevels),
      `one of ${logLevels.join(', ')}`,
    ),
    pagesFolder: resolveFolder('pages'),
    traceMegabytes: readSetting(
      'trace-memory',
      256,
      parseNumberUpTo(65_536),
      'a whole number of megabytes, at most 65536',
    ),
    cacheDirectory: resolveFolder('cache-dir'),
    cacheMegabytes: readSetting(
      'cache-size',
      1_024,
      parseNumberUpTo(65_536),
      'a whole number of megabytes, at most 65536',
    ),
    legacy: readSetting<Config['legacy']>(
      'legacy',
      isForStdio ? 'refuse' : undefined,
      parseOneOf(['replace', 'refuse']),
      'replace or refuse',
    ),
    canCreate: readSetting<boolean | undefined>(
      'create',
      isForStdio ? false : undefined,
      parseSwitch,
      '1 or 0',
    ),
  };
}

/** Returns the rules for choosing databases; null if users cannot choose any. */
function readChoosingRules(
  { choose, 'choose-postgres': servers }: SettingTexts,
  workingDirectory: string,
  faults: string[],
): ChoosingRules | null {
  if (!choose || parseSwitch(choose.text) === false) {
    if (servers && !choose)
      faults.push(`${servers.label} has no effect without --choose (SVC_CHOOSE)`);
    return null;
  }
  const isWorkingDirectory = parseSwitch(choose.text) === true;
  const folder =
    choose.text === anyFolder
      ? null
      : resolve(workingDirectory, isWorkingDirectory ? '.' : choose.text);
  if (folder !== null && !isFolder(folder)) {
    faults.push(`${choose.label} must name an existing folder`);
  }
  const names = servers?.text === '*' ? null : parseNames(servers?.text ?? '');
  if (servers && names === undefined) {
    faults.push(`${servers.label} must be hosts separated by commas, or *`);
  }
  return { folder, servers: names === undefined ? [] : names };
}

/** Returns whether there is a folder at a path; false after any error, for example without permission. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Returns the URL of the named or default database; null after a fault. */
function readDatabase(
  texts: SettingTexts,
  workingDirectory: string,
  faults: string[],
): DatabaseUrl | null {
  const defaults = {
    workingDirectory,
    user: texts['db-user']?.text,
    password: texts['db-password']?.text,
  };
  try {
    return parseDatabaseUrl(texts.db?.text ?? 'jdbc:sqlite:evoscope.db', defaults);
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    faults.push(`${texts.db?.label}: ${error.message}`);
    return null;
  }
}

/**
 * Returns the URL of the replica. User, password, database and schemas default to those of the primary. Returns null
 * without a replica, and after a fault in the URL of the replica or of the primary.
 */
function readReplica(
  { db, 'db-replica': replica }: SettingTexts,
  primaryUrl: DatabaseUrl | null,
  faults: string[],
): PostgresUrl | null {
  const isPrimaryInvalid = db !== undefined && primaryUrl === null;
  if (!replica || isPrimaryInvalid) return null;
  if (primaryUrl?.dialect !== 'postgres') {
    faults.push(`${replica.label} needs a PostgreSQL database in SVC_DB_URL or --db`);
    return null;
  }
  const { user, password, database, schemas } = primaryUrl;
  try {
    const url = parseDatabaseUrl(replica.text, { workingDirectory: '/', user, password });
    if (url.dialect === 'postgres') {
      const replicaSchemas = url.schemas.length > 0 ? url.schemas : schemas;
      return { ...url, database: url.database ?? database, schemas: replicaSchemas };
    }
    faults.push(`${replica.label} must be the URL of a PostgreSQL database`);
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    faults.push(`${replica.label}: ${error.message}`);
  }
  return null;
}

/**
 * Returns whether the host is `localhost`, `::1` or an address from 127.0.0.0/8; false for other forms of a loopback
 * address.
 */
function isLoopback(host: string): boolean {
  const isIPv4Loopback = isIP(host) === 4 && host.startsWith('127.');
  return host.toLowerCase() === 'localhost' || host === '::1' || isIPv4Loopback;
}

function parseHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  const isName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_-]+)*\.?$/i.test(host);
  return isIP(host) !== 0 || isName ? host : undefined;
}

function parseToken(text: string): string | undefined {
  return /^[\x21-\x7e]{16,}$/.test(text) ? text : undefined;
}

function parseNumberUpTo(maximum: number) {
  return (text: string): number | undefined =>
    /^\d{1,5}$/.test(text) && Number(text) <= maximum ? Number(text) : undefined;
}

function parseNames(text: string): string[] | undefined {
  const hosts = text.split(',').map((name) => name.trim());
  return hosts.every((host) => /^[a-z0-9_.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i.test(host))
    ? hosts
    : undefined;
}

function parseSwitch(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}

function parseOneOf<const Value extends string>(values: readonly Value[]) {
  return (text: string): Value | undefined =>
    values.find((value) => value === text.trim().toLowerCase());
}
