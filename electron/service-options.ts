import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyFolder } from '#shared/desktop.ts';

/** Paths of the installed program or the checkout. */
export interface ProgramPaths {
  /** Folder or archive of the program, as Electron's `app.getAppPath()` returns it. */
  readonly program: string;
  /** Writable folder for compiled scripts, because the folder of an installed program may be read-only. */
  readonly compileCache: string;
}

/** The bundle, flags and environment of a forked service, and the token that the service requires. */
export interface ServiceOptions {
  readonly entry: string;
  readonly args: string[];
  readonly environment: Record<string, string>;
  readonly token: string;
}

/**
 * Returns the user's flags and files among the arguments of the program: the arguments after `--`. Without `--`,
 * returns the arguments after the path of the program and, in a checkout, after the folder that Electron received.
 */
export function getFlags(processArguments: readonly string[], isPackaged: boolean): string[] {
  const separator = processArguments.indexOf('--');
  return processArguments.slice(separator >= 0 ? separator + 1 : isPackaged ? 1 : 2);
}

/**
 * Returns the value of a flag `--name value` or `--name=value`, the last one if there are several. The argument after
 * the flag is the value. If this argument is itself a flag, it counts as both. Returns an empty text if the flag is the
 * last argument and has no value; undefined without the flag.
 */
export function getFlagValue(flags: readonly string[], name: string): string | undefined {
  const values = flags.flatMap((flag, index) => {
    if (flag.startsWith(`--${name}=`)) return [flag.slice(name.length + 3)];
    return flag === `--${name}` ? [flags[index + 1] ?? ''] : [];
  });
  return values.at(-1);
}

/**
 * The database that a service opens at its start. `configured` is the database of the user's flags and variables, by
 * default `evoscope.db`. With null, the service has no database until the user chooses one. `url` is a path or a URL
 * without credentials.
 */
export type StartDatabase =
  | 'configured'
  | null
  | { readonly url: string; readonly user?: string; readonly password?: string };

/** Returns whether there is a flag `--db`, even without a value, or a variable that names a database. */
export function hasDatabase(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { SVC_DB_URL, SVC_DB_URL_FILE } = environment;
  return getFlagValue(flags, 'db') !== undefined || isSet(SVC_DB_URL) || isSet(SVC_DB_URL_FILE);
}

/** Options that the window chooses for a service. */
export interface WindowOptions {
  /** Port of the service; 0 for any free port. */
  readonly port: number;
  readonly token: string;
  readonly database: StartDatabase;
  /** Whether the service stores the runs that programs send. */
  readonly isRecording: boolean;
}

/**
 * Returns the options of a service. The user's flags and variables override `port`, `token` and `isRecording` of
 * `windowOptions`. `isRecording` has no effect if the user makes the service read-only. By default, the pages can
 * choose any database. With `configured`, the service opens `evoscope.db` in the working directory if flags and
 * variables name no database. For any other `database`, omits the user's flags and variables of the database.
 */
export function makeServiceOptions(
  paths: ProgramPaths,
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  windowOptions: WindowOptions,
): ServiceOptions {
  const { SVC_TOKEN, SVC_TOKEN_FILE } = environment;
  const token =
    [getFlagValue(flags, 'token'), SVC_TOKEN].find(isSet) ||
    readFirstLine(SVC_TOKEN_FILE) ||
    windowOptions.token;
  const isConfigured = windowOptions.database === 'configured';
  const variables = removeElectronVariables(environment);
  const getDefault = (name: string, value: string) =>
    isSet(variables[name]) || isSet(variables[`${name}_FILE`]) ? {} : { [name]: value };
  const readOnly =
    getFlagValue(flags, 'read-only') ??
    [variables.SVC_READ_ONLY].find(isSet) ??
    readFirstLine(variables.SVC_READ_ONLY_FILE);
  const isReadOnly = readOnly !== undefined && !/^(0|false|no|off)$/i.test(readOnly);
  const canBeMissing = isConfigured && !hasDatabase(flags, environment);
  return {
    entry: join(resolveUnpackedFolder(paths.program), 'dist', 'server', 'main.js'),
    args: isConfigured ? [...flags] : removeDatabaseFlags(flags),
    environment: {
      ...(isConfigured ? variables : removeDatabaseVariables(variables)),
      ...getDefault('SVC_PORT', String(windowOptions.port)),
      SVC_TOKEN: token,
      ...getDefault('NODE_COMPILE_CACHE', paths.compileCache),
      ...getDefault('SVC_PAGES_DIR', join(paths.program, 'dist', 'renderer')),
      ...getDefault('SVC_CHOOSE', anyFolder),
      ...getDefault('SVC_CHOOSE_POSTGRES', '*'),
      // The window asks the user before the service replaces tables, or creates a file whose name may be a typing
      // error.
      ...getDefault('SVC_LEGACY', 'refuse'),
      ...(windowOptions.isRecording && !isReadOnly ? getDefault('SVC_RECORD', '1') : {}),
      ...(canBeMissing ? { SVC_DB_URL: defaultDatabase } : getDefault('SVC_CREATE', '0')),
      ...getDatabaseVariables(windowOptions.database),
    },
    token,
  };
}

/** Returns the first line of a file; undefined if the name is undefined or empty, or if reading fails. */
function readFirstLine(file: string | undefined): string | undefined {
  try {
    return isSet(file) ? readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] : undefined;
  } catch {
    return undefined;
  }
}

const defaultDatabase = 'jdbc:sqlite:evoscope.db';
const databaseFlags = new Set(['--db', '--db-user', '--db-password', '--db-replica']);
const databaseVariable = /^SVC_DB_(URL|USER|PASSWORD|REPLICA_URL)(_FILE)?$/;

function getDatabaseVariables(database: StartDatabase): Record<string, string> {
  if (database === 'configured' || database === null) return {};
  const { url, user, password } = database;
  return {
    SVC_DB_URL: url,
    ...(user !== undefined && { SVC_DB_USER: user }),
    ...(password !== undefined && { SVC_DB_PASSWORD: password }),
  };
}

function removeDatabaseFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, index) => {
    const isValue = databaseFlags.has(flags[index - 1] ?? '');
    return !isValue && !databaseFlags.has(flag.split('=', 1)[0] ?? '');
  });
}

function removeDatabaseVariables(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !databaseVariable.test(name)),
  );
}

/**
 * Returns the folder with the scripts and the native code of the service. For an archive, this is the folder next to
 * the archive. Otherwise, it is the folder of the program.
 */
export function resolveUnpackedFolder(program: string): string {
  return program.endsWith('.asar') ? `${program}.unpacked` : program;
}

function removeElectronVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const otherVariables = Object.entries(environment).filter(
    ([name]) => !name.startsWith('ELECTRON_'),
  );
  return Object.fromEntries(
    otherVariables.flatMap(([name, value]) => (isSet(value) ? [[name, value]] : [])),
  );
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
