import { createTableSql, tableDefinitions, tableNames } from '#server/db/tables.ts';
import { olderRunner, otherPrograms } from './schemas.ts';

/** Statements that create the contents of an empty database. */
type Statements = readonly string[];

/** Databases of users by name: those that can be opened, and those that are refused with a message that matches. */
interface Zoo {
  openable: Readonly<Record<string, Statements>>;
  refusable: Readonly<Record<string, readonly [RegExp, Statements]>>;
}

const createTables = (types: { id: string; double: string }) =>
  tableNames.map((table) => createTableSql(table, types));
const sqliteTables = createTables({ id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' });
const postgresTables = createTables({ id: 'BIGSERIAL PRIMARY KEY', double: 'DOUBLE PRECISION' });

const run = `insert into runs (run_id, experiment_id, seed, status, start_time) values ('r', 'e', 1, 'COMPLETED', '2026-11-21T10:00:00Z')`;
const rows = [
  `insert into experiments values ('e', 'h', '3', 'n', 'umda', 'm', 'onemax', 'b', 's', 'r', 't', 5, 'a: 1', '{}', '2026-11-21T10:00:00Z')`,
  run,
];
const sqliteRunner = [...sqliteTables, ...rows];
const postgresRunner = [...postgresTables, ...rows];

const iteration = `insert into iterations values (1, 'r', 0, 10, 1, 1, 0, '{}', '{}', '2026-11-21T10:00:00Z')`;

const makeUpdate = (table: string, column: string, value: string) =>
  `update ${table} set ${column} = ${value}`;
const renameTables = (tables: Statements, rename: (name: string) => string) =>
  tables.map((sql) =>
    sql.replace(/EXISTS (\w+)/, (_all, name: string) => `EXISTS ${rename(name)}`),
  );

/** Values that a column should not have but both databases accept. */
const oddValues = {
  'a malformed configuration': makeUpdate('experiments', 'config_json', `'{['`),
  'an empty status': makeUpdate('runs', 'status', `''`),
  'times that are not valid': makeUpdate('runs', 'start_time', `'soon'`),
  'a huge seed': makeUpdate('runs', 'seed', '9223372036854775807'),
  'an id with characters that URLs encode': makeUpdate('runs', 'run_id', `'%2e/../?#é'`),
};

const oddSqliteValues = {
  ...oddValues,
  'ids that are NULL': makeUpdate('runs', 'run_id', 'null'),
  'a problem type that is not UTF-8': makeUpdate(
    'experiments',
    'problem_type',
    "cast(x'6fff6e' as text)",
  ),
  'a problem type of bytes': makeUpdate('experiments', 'problem_type', "x'00ff'"),
  'a text as a seed': makeUpdate('runs', 'seed', "'abc'"),
  'a text as a fitness': makeUpdate('runs', 'best_fitness', "'1e999x'"),
  'an infinite fitness': makeUpdate('runs', 'best_fitness', '9e999'),
  'a seed that is not an integer': makeUpdate('runs', 'seed', '1e300'),
};

const oddPostgresValues = {
  ...oddValues,
  'an infinite fitness': makeUpdate('runs', 'best_fitness', `'-Infinity'`),
  'a fitness that is not a number': makeUpdate('runs', 'best_fitness', `'NaN'`),
};

const changeType = (column: string, type: string): Statements =>
  postgresTables.map((sql) =>
    sql.replace(new RegExp(`\\b${column} (TEXT|INTEGER|DOUBLE PRECISION)`), `${column} ${type}`),
  );

const addValues = (tables: Statements, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [...tables, value]]));

const createDependent = (action: string) =>
  `create table tags (r text references runs(run_id) on delete ${action})`;

/** Returns databases that are refused with the same reason on both kinds; `tables` are those of the runner. */
const listRefusable = (tables: Statements): Zoo['refusable'] => ({
  Dagster: [
    /"runs" has no column "experiment_id", and its tables do not match those of an old runner/,
    otherPrograms.Dagster,
  ],
  MLflow: [/"experiments" has no column "config_hash"/, otherPrograms.MLflow],
  Optuna: [/none of the runner's/, otherPrograms.Optuna],
  'a browser': [/none of the runner's/, otherPrograms['a browser']],
  'views only': [/none of the runner's/, ['create view v as select 1 as one']],
  'a view with endless rows in place of runs': [
    /"runs" is a view, not a table/,
    [
      'create view runs as with recursive n (run_id) as (select 1 union all select run_id + 1 from n) select run_id from n',
    ],
  ],
  'a table whose rows are deleted together with runs': [
    /table "tags" on "runs"/,
    [...tables, createDependent('cascade')],
  ],
  'a table whose keys are cleared together with runs': [
    /table "tags" on "runs"/,
    [...tables, createDependent('set null')],
  ],
  'a missing column': [
    /"events" has no column "payload_json"/,
    [...tables, 'alter table events drop column payload_json'],
  ],
  'an old runner’s tables with an additional column': [
    /its tables do not match those of an old runner/,
    [...olderRunner, 'alter table runs add column mine text'],
  ],
  'an old runner’s tables next to a table of another program with a name of ours': [
    /its tables do not match those of an old runner/,
    [...olderRunner, 'create table events (title text)'],
  ],
  'old tables to which another table refers': [
    /cannot replace the tables of an old version of the runner, because the table "tags" refers to them/,
    [...olderRunner, createDependent('no action')],
  ],
});

const listOpenable = (tables: Statements): Zoo['openable'] => ({
  nothing: [],
  'additional columns': [...tables, 'alter table runs add column mine text', ...rows],
  'additional tables': [
    ...tables,
    'create table mine (run_id text references runs(run_id))',
    ...rows,
  ],
  'additional views': [
    ...tables,
    'create view best as select max(best_fitness) as best from runs',
    ...rows,
  ],
  'additional indexes': [...tables, 'create index mine on runs (seed, status)', ...rows],
  'only one table of the runner': [tables[0] ?? '', rows[0] ?? ''],
  'no table events': [...tables, 'drop table events', ...rows],
  'an older runner’s tables': olderRunner,
});

const toUpperCase = (name: string) => name.toUpperCase();

export const zoo: Record<'sqlite' | 'postgres', Zoo> = {
  sqlite: {
    openable: {
      ...listOpenable(sqliteTables),
      'only settings': ['pragma user_version = 3'],
      'UTF-16, little-endian': [`pragma encoding = 'UTF-16le'`, ...sqliteRunner],
      'UTF-16, big-endian': [`pragma encoding = 'UTF-16be'`, ...sqliteRunner],
      'pages of 512 bytes': ['pragma page_size = 512', ...sqliteRunner],
      'pages of 64 KiB': ['pragma page_size = 65536', ...sqliteRunner],
      'auto-vacuum': ['pragma auto_vacuum = full', ...sqliteRunner],
      'a write-ahead log': ['pragma journal_mode = wal', ...sqliteRunner],
      'names of tables in capitals': [...renameTables(sqliteTables, toUpperCase), ...rows],
      'tables without rowids': [
        ...sqliteTables.map((sql) =>
          sql.includes('AUTOINCREMENT') ? sql : `${sql} without rowid`,
        ),
        ...rows,
      ],
      'a run without experiment': [...sqliteTables, 'pragma foreign_keys = off', run],
      ...addValues([...sqliteRunner, 'pragma foreign_keys = off'], oddSqliteValues),
    },
    refusable: {
      ...listRefusable(sqliteTables),
      'a browser’s tables and a log': [
        /none of the runner's/,
        ['pragma journal_mode = wal', ...otherPrograms['a browser']],
      ],
      'a full-text index': [
        /none of the runner's/,
        ['create virtual table notes using fts5(text)'],
      ],
      'a full-text index in place of runs': [
        /"runs" is a virtual table/,
        ['create virtual table runs using fts5(run_id)'],
      ],
      'a trigger': [
        /trigger "t" on "runs"/,
        [...sqliteTables, 'create trigger t after delete on runs begin select 1; end'],
      ],
      'columns in capitals': [
        /"runs" has no column "run_id"/,
        [
          `create table runs (${Object.keys(tableDefinitions.runs.columns).map(toUpperCase).join(', ')})`,
        ],
      ],
    },
  },
  postgres: {
    openable: {
      ...listOpenable(postgresTables),
      'an empty schema next to a full one': [
        'create schema other',
        'create table other.mine (a text)',
      ],
      'limited texts': [
        ...postgresTables.map((sql) => sql.replaceAll(/\bTEXT\b/g, 'VARCHAR(4000)')),
        ...rows,
      ],
      'decimal numbers': [
        ...postgresTables.map((sql) => sql.replaceAll('DOUBLE PRECISION', 'NUMERIC')),
        ...rows,
      ],
      'types with constraints': [
        'create domain word as text',
        'create domain short_word as word check (length(value) < 40)',
        'create domain amount as bigint check (value >= 0)',
        ...postgresTables.map((sql) =>
          sql.replace('status TEXT', 'status short_word').replace('seed BIGINT', 'seed amount'),
        ),
        ...rows,
      ],
      'decimal numbers as integers': [
        ...postgresTables.map((sql) => sql.replaceAll(/\b(INTEGER|BIGINT)\b/g, 'NUMERIC')),
        ...rows,
        iteration,
      ],
      'floating-point numbers as integers': [
        ...postgresTables.map((sql) => sql.replaceAll(/\b(INTEGER|BIGINT)\b/g, 'DOUBLE PRECISION')),
        ...rows,
        iteration,
      ],
      ...addValues(postgresRunner, oddPostgresValues),
    },
    refusable: {
      ...listRefusable(postgresTables),
      'names of tables in capitals': [
        /none of the runner's/,
        renameTables(postgresTables, (name) => `"${toUpperCase(name)}"`).map((sql) =>
          sql.replace(/, *\n? *(FOREIGN|UNIQUE)[^]*/, ')'),
        ),
      ],
      'a partitioned table runs, to which no key can refer': [
        /^The service cannot create the tables in .*: there is no unique constraint .* "runs".*\. Correct this, or choose another database$/,
        [
          ...postgresTables.filter((_sql, index) => tableNames[index] === 'experiments'),
          ...postgresTables
            .filter((_sql, index) => tableNames[index] === 'runs')
            .map((sql) =>
              sql
                .replace(' PRIMARY KEY', '')
                .replace(/,\s*FOREIGN KEY[^]*/, ') partition by list (status)'),
            ),
          'create table other_runs partition of runs default',
        ],
      ],
      'a materialised view in place of runs': [
        /"runs" is a materialized view/,
        [`create materialized view runs as select 'r' as run_id`],
      ],
      'times that are no texts': [
        /column "start_time" of "runs" has the type timestamp with time zone, not text/,
        changeType('start_time', 'TIMESTAMPTZ'),
      ],
      'configurations that are no texts': [
        /column "config_json" of "experiments" has the type jsonb, not text/,
        changeType('config_json', 'JSONB'),
      ],
      'truth values in place of numbers': [
        /column "reached_target" of "coco_trials" has the type boolean, not a numeric type/,
        changeType('reached_target', 'BOOLEAN'),
      ],
      'texts in place of numbers': [
        /column "best_fitness" of "coco_trials" has the type character varying\(20\), not a numeric type.*, so the service changed nothing\. Convert the column, or choose another database$/,
        changeType('best_fitness', 'VARCHAR(20)'),
      ],
      'a trigger': [
        /trigger "t" on "runs"/,
        [
          ...postgresTables,
          'create function nothing() returns trigger language plpgsql as $$ begin return old; end $$',
          'create trigger t after delete on runs for each row execute function nothing()',
        ],
      ],
      'a rule': [
        /rule "r" on "runs"/,
        [...postgresTables, 'create rule r as on delete to runs do also select 1'],
      ],
    },
  },
};
