import { createTableSql, tableDefinitions, tableNames } from '#server/db/tables.ts';
import { execute, type TestEngine, type TestLocation } from './databases.ts';

/**
 * Creates the tables like a careless writer: the same columns without constraints. On SQLite, also without types if
 * `hasTypes` is false: then every column accepts any value.
 */
export async function makeLooseTables(
  location: TestLocation,
  engine: TestEngine['name'],
  { hasTypes = true } = {},
): Promise<void> {
  await execute(
    location,
    engine === 'sqlite' && !hasTypes
      ? tableNames.map((table) => `create table ${table} (${getColumns(table).join(', ')})`)
      : listLooseTables(engine),
  );
}

function getColumns(table: (typeof tableNames)[number]): string[] {
  return Object.keys(tableDefinitions[table].columns);
}

function listLooseTables(engine: TestEngine['name']): string[] {
  const types =
    engine === 'sqlite'
      ? { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' }
      : { id: 'BIGSERIAL PRIMARY KEY', double: 'DOUBLE PRECISION' };
  return tableNames.map((table) => {
    const strictSql = createTableSql(table, types);
    const { constraints } = tableDefinitions[table];
    const sqlWithoutConstraints = constraints.reduce(
      (text, constraint) => text.replace(`,\n  ${constraint}`, ''),
      strictSql,
    );
    return sqlWithoutConstraints.replaceAll(
      / NOT NULL| UNIQUE|(?<=TEXT) PRIMARY KEY| CHECK\(.*\)/g,
      '',
    );
  });
}
