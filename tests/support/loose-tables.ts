import { createTableSql, tableDefinitions, tableNames } from '#server/db/tables.ts';
import { execute, type TestEngine, type TestPlace } from './databases.ts';

/**
 * Makes the tables as a careless writer does: the same columns without a constraint, on SQLite without types
 * either when `typed` is false, so that any column takes any value.
 */
export async function makeLooseTables(
  place: TestPlace,
  engine: TestEngine['name'],
  { typed = true } = {},
): Promise<void> {
  await execute(
    place,
    engine === 'sqlite' && !typed
      ? tableNames.map((table) => `create table ${table} (${getColumns(table).join(', ')})`)
      : looseTables(engine),
  );
}

function getColumns(table: (typeof tableNames)[number]): string[] {
  return Object.keys(tableDefinitions[table].columns);
}

function looseTables(engine: TestEngine['name']): string[] {
  const types =
    engine === 'sqlite'
      ? { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' }
      : { id: 'BIGSERIAL PRIMARY KEY', double: 'DOUBLE PRECISION' };
  return tableNames.map((table) => {
    const strict = createTableSql(table, types);
    const { constraints } = tableDefinitions[table];
    const withoutLists = constraints.reduce(
      (text, constraint) => text.replace(`,\n  ${constraint}`, ''),
      strict,
    );
    return withoutLists.replaceAll(/ NOT NULL| UNIQUE|(?<=TEXT) PRIMARY KEY| CHECK\(.*\)/g, '');
  });
}
