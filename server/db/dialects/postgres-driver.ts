import { PostgresDialect, type DatabaseConnection, type Dialect } from 'kysely';
import pg from 'pg';

const { INT8, NUMERIC } = pg.types.builtins;

/** The integer or decimal as a number when no precision is lost, else as the digits it came in. */
export function losslessNumber(text: string): number | string {
  const value = Number(text);
  const isInteger = /^-?\d+$/.test(text);
  return isInteger && !Number.isSafeInteger(value) ? text : value;
}

/** The driver's parsers with lossless integers. */
export const losslessTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format !== 'binary' && (oid === INT8 || oid === NUMERIC)
      ? losslessNumber
      : pg.types.getTypeParser(oid, format),
};

/**
 * A Kysely dialect over a pool. Beyond Kysely's own: U+0000, which PostgreSQL cannot store and whose mere
 * mention is an error, is bound as U+FFFD, so that a lookup finds nothing as on SQLite.
 */
export function postgresKyselyDialect(pool: pg.Pool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      const safe = new WeakSet<DatabaseConnection>();
      driver.acquireConnection = async (options) => {
        const connection = await acquire(options);
        if (!safe.has(connection)) replaceNul(connection);
        safe.add(connection);
        return connection;
      };
      return driver;
    },
  };
}

function replaceNul(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = (query, options) =>
    execute({ ...query, parameters: query.parameters.map(withoutNul) }, options);
}

function withoutNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
