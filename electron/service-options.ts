import { join } from 'node:path';

/** Where the parts of the installed or checked-out program are. */
export interface ProgramPaths {
  /** The program's folder or archive, as Electron's `app.getAppPath()` names it. */
  readonly program: string;
  /** The user's own folder for this program's data. */
  readonly userData: string;
  /** Whether this is an installed program and not a checkout. */
  readonly isPackaged: boolean;
}

/** How the service is forked: its bundle, its flags, its environment; and the token that it will ask for. */
export interface ServiceOptions {
  readonly entry: string;
  readonly args: string[];
  readonly environment: Record<string, string>;
  readonly token: string;
}

/**
 * The user's flags among the arguments of the program: what follows `--`; without it, what follows the
 * program's own path, for a checkout also the folder that Electron was given.
 */
export function flagsOf(processArguments: readonly string[], isPackaged: boolean): string[] {
  const separator = processArguments.indexOf('--');
  return processArguments.slice(separator >= 0 ? separator + 1 : isPackaged ? 1 : 2);
}

/**
 * Value of a flag written `--name value` or `--name=value`; the last one wins, as in the service. undefined
 * when the flag is not given.
 */
export function flagValue(flags: readonly string[], name: string): string | undefined {
  const values = flags.flatMap((flag, index) => {
    if (flag.startsWith(`--${name}=`)) return [flag.slice(name.length + 3)];
    return flag === `--${name}` ? [flags[index + 1] ?? ''] : [];
  });
  return values.at(-1);
}

/**
 * How to fork the service so that only this window reaches it: on `port` (0 = any free) and with `token`,
 * unless the user set their own by flag or environment. An installed program that was told no database uses
 * one in the user's folder, since its working directory means nothing; a checkout leaves that to the service.
 */
export function serviceOptions(
  paths: ProgramPaths,
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  own: { readonly port: number; readonly token: string },
): ServiceOptions {
  const token = [flagValue(flags, 'token'), environment.SVC_TOKEN].find(isSet) ?? own.token;
  const database = isSet(environment.SVC_DB_URL) ? environment.SVC_DB_URL : defaultDatabase(paths);
  const isNamed = flagValue(flags, 'db') !== undefined || isSet(environment.SVC_DB_URL);
  const pages = isSet(environment.SVC_PAGES_DIR)
    ? environment.SVC_PAGES_DIR
    : join(paths.program, 'dist', 'renderer');
  return {
    entry: join(unpacked(paths.program), 'dist', 'server', 'main.js'),
    args: [...flags],
    environment: {
      ...withoutElectronsOwn(environment),
      SVC_PORT: isSet(environment.SVC_PORT) ? environment.SVC_PORT : String(own.port),
      SVC_TOKEN: token,
      SVC_PAGES_DIR: pages,
      // The window asks before tables are replaced, or a database is made whose name may be a slip.
      SVC_LEGACY: isSet(environment.SVC_LEGACY) ? environment.SVC_LEGACY : 'refuse',
      ...(isNamed && !isSet(environment.SVC_CREATE) && { SVC_CREATE: '0' }),
      ...(database === undefined ? {} : { SVC_DB_URL: database }),
    },
    token,
  };
}

function defaultDatabase({ isPackaged, userData }: ProgramPaths): string | undefined {
  return isPackaged ? `jdbc:sqlite:${join(userData, 'evoscope.db')}` : undefined;
}

/** The service loads native code and worker files, so it lies beside the archive and not in it. */
export function unpacked(program: string): string {
  return program.endsWith('.asar') ? `${program}.unpacked` : program;
}

function withoutElectronsOwn(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('ELECTRON_'));
  return Object.fromEntries(kept.flatMap(([name, value]) => (isSet(value) ? [[name, value]] : [])));
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
