import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { anyFolder } from '#shared/desktop.ts';
import { readVariable } from './db/read-variable.ts';
import type { ChoosingRules } from './runtime/choices.ts';
import { StartUpError } from './db/start-up-error.ts';
import { parseDatabaseUrl, type DatabaseUrl, type PostgresUrl } from './db/url.ts';
import { logLevels, type LogLevel } from './logger.ts';
import { isSwitch, settingNames, settings, type SettingName } from './settings.ts';

/** Everything that can be set from outside. */
export interface Config {
  /** Null: it is chosen on the pages. */
  database: DatabaseUrl | null;
  /** Whether the user named it, by flag, variable or file. */
  isDatabaseNamed: boolean;
  /** The streaming replica of the database; null: none. */
  replica: PostgresUrl | null;
  /** Which databases can be chosen on the pages; null: none. */
  choose: ChoosingRules | null;
  /** 0 = any free one. */
  port: number;
  host: string;
  token: string | undefined;
  /** Names besides the loopback ones that a request's `Host` may have. */
  allowedHosts: string[];
  artifactsDirectory: string | undefined;
  readOnly: boolean;
  /** Whether clients may record runs. */
  record: boolean;
  logLevel: LogLevel;
  pagesDirectory: string | undefined;
  /** How much of the traces of runs is kept in memory. */
  traceMegabytes: number;
  /** What happens to tables of a runner before version 3; undefined: those that surely are its are replaced. */
  legacy: 'replace' | 'refuse' | undefined;
  /** Whether the runner's tables may be created next to those of another program; false: no missing file is created either. */
  create: boolean | undefined;
}

/** What the arguments ask for: a question about the program, or to run; or what is wrong with them. */
export type Request =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'faults'; faults: string[] }
  | { kind: 'run'; config: Config };

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
  for (const name of settingNames) {
    const { variable } = settings[name];
    const text = readVariable(variable, environment, workingDirectory);
    if (text) given[name] ??= { text, source: variable };
    else if (text === null) faults.push(`${variable}_FILE names a file that cannot be read`);
  }
  const config = toConfig(given, workingDirectory, faults);
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'run', config };
}

function readFlags(flags: readonly string[], faults: string[]) {
  const options = Object.fromEntries(
    settingNames.map((name) => [name, { type: isSwitch(name) ? 'boolean' : 'string' } as const]),
  );
  const questions = new Set<string>();
  const given: Given = {};
  const { tokens } = parseArgs({ args: [...flags], options, strict: false, tokens: true });
  let unknownAt = -2;
  let alone: { name: SettingName; index: number } | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional' && alone?.index === token.index - 1) {
      given[alone.name] = { text: token.value, source: `--${alone.name}` };
      continue;
    }
    // What follows an unknown flag is its value more likely than a second fault.
    if (token.kind === 'positional' && token.index !== unknownAt + 1) {
      faults.push(`Unexpected argument "${token.value}"`);
    }
    if (token.kind !== 'option') continue;
    const name = settingNames.find((known) => known === token.name);
    const text = token.value ?? (name && isSwitch(name) ? '1' : '');
    if (name && token.value === undefined && 'value' in settings[name]) {
      alone = { name, index: token.index };
    }
    if (token.name === 'help' || token.name === 'version') questions.add(token.name);
    else if (name === undefined) {
      faults.push(`Unknown flag ${token.rawName}: see --help`);
      unknownAt = token.index;
    } else if (text === '') faults.push(`--${name} needs a value`);
    else given[name] = { text, source: `--${name}` };
  }
  return { given, questions };
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
  const choose = readChoosing(given, workingDirectory, faults);
  const database = given.db || !choose ? readDatabase(given, workingDirectory, faults) : null;
  return {
    database,
    isDatabaseNamed: given.db !== undefined,
    replica: readReplica(given, database, faults),
    choose,
    port: read('port', 7070, wholeUpTo(65_535), 'a whole number from 0 to 65535'),
    host,
    token,
    allowedHosts: read('allowed-hosts', [], readNames, 'host names separated by commas'),
    artifactsDirectory: folder('artifacts-dir'),
    readOnly: read('read-only', false, readSwitch, '1 or 0'),
    record: read('record', false, readSwitch, '1 or 0'),
    logLevel: read('log-level', 'info', oneOf(logLevels), `one of ${logLevels.join(', ')}`),
    pagesDirectory: folder('pages'),
    traceMegabytes: read(
      'trace-memory',
      256,
      wholeUpTo(65_536),
      'a whole number of megabytes, at most 65536',
    ),
    legacy: read('legacy', undefined, oneOf(['replace', 'refuse']), 'replace or refuse'),
    create: read('create', undefined, readSwitch, '1 or 0'),
  };
}

/** Null when databases cannot be chosen. */
function readChoosing(
  { choose, 'choose-postgres': servers }: Given,
  workingDirectory: string,
  faults: string[],
): ChoosingRules | null {
  if (!choose || readSwitch(choose.text) === false) {
    if (servers) faults.push(`${servers.source} says nothing without --choose (SVC_CHOOSE)`);
    return null;
  }
  const isHere = readSwitch(choose.text) === true;
  const folder =
    choose.text === anyFolder ? null : resolve(workingDirectory, isHere ? '.' : choose.text);
  if (folder !== null && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    faults.push(`${choose.source} must name a folder that is there`);
  }
  const named = servers?.text === '*' ? null : readNames(servers?.text ?? '');
  if (servers && named === undefined) {
    faults.push(`${servers.source} must be hosts separated by commas, or *`);
  }
  return { folder, servers: named === undefined ? [] : named };
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

/** The URL of the replica, which takes from that of its primary what it leaves open. */
function readReplica(
  { 'db-replica': replica }: Given,
  primary: DatabaseUrl | null,
  faults: string[],
): PostgresUrl | null {
  if (!replica) return null;
  if (primary?.dialect !== 'postgres') {
    faults.push(`${replica.source} needs a PostgreSQL database in SVC_DB_URL or --db`);
    return null;
  }
  const { user, password, database, schemas } = primary;
  try {
    const url = parseDatabaseUrl(replica.text, { workingDirectory: '/', user, password });
    if (url.dialect === 'postgres') {
      const ownSchemas = url.schemas.length > 0 ? url.schemas : schemas;
      return { ...url, database: url.database ?? database, schemas: ownSchemas };
    }
    faults.push(`${replica.source} must be the URL of a PostgreSQL database`);
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    faults.push(`${replica.source}: ${error.message}`);
  }
  return null;
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

function wholeUpTo(most: number) {
  return (text: string): number | undefined =>
    /^\d{1,5}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
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
