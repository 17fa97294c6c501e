import { logLevels } from './logger.ts';

/** A setting: its variable, the name of its value if it has one, and its description in `--help`. */
interface Setting {
  variable: string;
  value?: string;
  /** Whether users can omit the value of the flag. */
  canOmitValue?: boolean;
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
    help: 'streaming replica of the PostgreSQL database, from which the service reads lists and analyses; user, password, database and schemas default to those of --db',
  },
  choose: {
    variable: 'SVC_CHOOSE',
    value: 'folder',
    canOmitValue: true,
    help: 'let users choose databases on the pages: files in this folder (default: the working directory); without --db no database is open initially',
  },
  'choose-postgres': {
    variable: 'SVC_CHOOSE_POSTGRES',
    value: 'hosts',
    help: 'PostgreSQL servers that users can choose, as host or host:port, separated by commas; * for any (default: none)',
  },
  port: {
    variable: 'SVC_PORT',
    value: 'n',
    help: 'port to listen on (default 7070; 0 = any free port)',
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
    help: 'folder of the files of runs that the runner writes (default: results, next to the SQLite file)',
  },
  'read-only': { variable: 'SVC_READ_ONLY', help: 'never write to the database' },
  record: {
    variable: 'SVC_RECORD',
    help: 'store the runs that programs send to /api/record, and clients of MLflow to /mlflow',
  },
  'mcp-control': {
    variable: 'SVC_MCP_CONTROL',
    help: 'let assistants that use /mcp request that runs stop; --record also allows it',
  },
  'log-level': {
    variable: 'SVC_LOG_LEVEL',
    value: 'level',
    help: `${logLevels.join(', ')} (default info)`,
  },
  pages: {
    variable: 'SVC_PAGES_DIR',
    value: 'folder',
    help: 'the built pages (default: dist/renderer of this program)',
  },
  'trace-memory': {
    variable: 'SVC_TRACE_MEMORY',
    value: 'MB',
    help: 'maximum size of the cache of the traces of runs in memory (default 256)',
  },
  'cache-dir': {
    variable: 'SVC_CACHE_DIR',
    value: 'folder',
    help: 'folder for copies of the traces of ended runs, from which the service reads them after a restart; only its user may have access (default: none)',
  },
  'cache-size': {
    variable: 'SVC_CACHE_SIZE',
    value: 'MB',
    help: 'maximum size of that folder (default 1024)',
  },
  legacy: {
    variable: 'SVC_LEGACY',
    value: 'mode',
    help: 'by default, the service replaces tables of a runner before version 3 after a backup; replace: also tables that only resemble them; refuse: none',
  },
  create: {
    variable: 'SVC_CREATE',
    help: "create the runner's tables also in a database with other tables; 0: do not create a missing file either",
  },
} as const satisfies Record<string, Setting>;

/** The name of a setting's flag. */
export type SettingName = keyof typeof settings;

/** The names of all settings, in the order of `--help`. */
export const settingNames = Object.keys(settings) as SettingName[];

/** The defaults that differ in the program for one MCP client. */
const stdioDefaults =
  'Other defaults of evoscope mcp: --port 0, --legacy refuse, --create=0, and --read-only without --record and --mcp-control.';

/** Returns the text of `--help`; with `isForStdio`, the text for the program for one MCP client. */
export function formatHelp({ isForStdio = false } = {}): string {
  const lines = settingNames.map((name) => {
    const setting: Setting = settings[name];
    const value = setting.canOmitValue ? `[=${setting.value}]` : ` <${setting.value}>`;
    const flag = `--${name}${setting.value === undefined ? '' : value}`;
    return `  ${flag.padEnd(26)}${setting.variable.padEnd(20)}${setting.help}`;
  });
  return ['Evoscope watches and compares evolutionary optimisation runs.', '']
    .concat('Flags, and their environment variables:', lines)
    .concat('  --help, --version', '', 'SVC_…_FILE names a file that contains the value of SVC_….')
    .concat(isForStdio ? stdioDefaults : [])
    .join('\n');
}

/** Returns whether users can omit the value of a flag. The value is then 1. */
export function isSwitch(name: SettingName): boolean {
  const { value, canOmitValue }: Setting = settings[name];
  return value === undefined || canOmitValue === true;
}
