import { logLevels } from './logger.ts';

/** A setting: its flag, its variable, and what `--help` says of it. */
interface Setting {
  variable: string;
  value?: string;
  /** Whether the flag may stand without its value. */
  alone?: boolean;
  help: string;
}

/** All settings by the names of their flags. */
export const settings = {
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
  'db-replica': {
    variable: 'SVC_DB_REPLICA_URL',
    value: 'url',
    help: 'streaming replica of the PostgreSQL database, which lists and analyses are read from; user, password and database default to those of --db',
  },
  choose: {
    variable: 'SVC_CHOOSE',
    value: 'folder',
    alone: true,
    help: 'have databases chosen on the pages: files in this folder (default: the working directory), where no --db is given none at first',
  },
  'choose-postgres': {
    variable: 'SVC_CHOOSE_POSTGRES',
    value: 'hosts',
    help: 'PostgreSQL servers that can be chosen, as host or host:port, separated by commas; * for any (default: none)',
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
    help: 'required as "Authorization: Bearer <text>"; at least 16 characters',
  },
  'allowed-hosts': {
    variable: 'SVC_ALLOWED_HOSTS',
    value: 'names',
    help: 'further names of this service, separated by commas',
  },
  'artifacts-dir': {
    variable: 'SVC_ARTIFACTS_DIR',
    value: 'folder',
    help: 'where the runner keeps files of runs (default: results, next to the SQLite file)',
  },
  'read-only': { variable: 'SVC_READ_ONLY', help: 'never write to the database' },
  record: {
    variable: 'SVC_RECORD',
    help: 'store the runs that programs send to /api/record, and clients of MLflow to /mlflow',
  },
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

/** The name of a setting's flag. */
export type SettingName = keyof typeof settings;

/** In the order in which they are listed. */
export const settingNames = Object.keys(settings) as SettingName[];

/** What `--help` prints. */
export function helpText(): string {
  const lines = settingNames.map((name) => {
    const setting: Setting = settings[name];
    const value = setting.alone ? `[=${setting.value}]` : ` <${setting.value}>`;
    const flag = `--${name}${setting.value === undefined ? '' : value}`;
    return `  ${flag.padEnd(26)}${setting.variable.padEnd(20)}${setting.help}`;
  });
  return ['Evoscope: evolutionary optimisation runs, watched and compared.', '']
    .concat('Flags, and the environment variables that say the same:', lines)
    .concat('  --help, --version', '', 'SVC_…_FILE names a file that holds the value of SVC_….')
    .join('\n');
}

/** Whether a flag can stand alone, which means 1. */
export function isSwitch(name: SettingName): boolean {
  const { value, alone }: Setting = settings[name];
  return value === undefined || alone === true;
}
