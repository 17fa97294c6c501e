import { PostgresDialect, type DatabaseConnection, type Dialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { ExplainedError } from '../dialect.ts';

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
 * mention is an error, is bound as U+FFFD, so that a lookup finds nothing as on SQLite; an error of a missing right
 * explains which one.
 */
export function postgresKyselyDialect(pool: PostgresPool): Dialect {
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
        if (!safe.has(connection)) adapt(connection);
        safe.add(connection);
        return connection;
      };
      return driver;
    },
  };
}

function adapt(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    try {
      return await execute({ ...query, parameters: query.parameters.map(withoutNul) }, options);
    } catch (error) {
      explain(error, query.sql);
      throw error;
    }
  };
}

/** What a statement does, by its first word. */
const changingWord = /^\s*(insert|update|delete|create|alter|drop|begin)\b/i;

/** Says in an error which right the statement lacked: PostgreSQL only says on what. */
function explain(error: unknown, statement: string): void {
  if (!(error instanceof Error) || !('code' in error)) return;
  const explained: ExplainedError & Error = error;
  const isLocking = /\bfor (no key )?update\b/i.test(statement);
  explained.isChange = isLocking || changingWord.test(statement);
  if (error.code === '55P03') {
    explained.explanation = 'A table is locked by another program; try again in a moment';
  }
  if (/conflict with recovery/.test(error.message)) {
    explained.explanation =
      'The standby cancelled the query in order to follow its primary; try again in a moment';
  }
  if (error.code === '25006') {
    explained.explanation = 'The PostgreSQL server is a standby, or is set to be read-only';
  }
  if (error.code !== '42501') return;
  const [, kind = 'table', name = ''] =
    /permission denied for (?:materialized )?(\w+) (.+)$/.exec(error.message) ?? [];
  const isUsed = kind === 'sequence' || (kind === 'schema' && !/^\s*create\b/i.test(statement));
  const right = isUsed ? 'USAGE' : rightOf(statement, isLocking);
  explained.explanation =
    name === ''
      ? `The database user lacks a right: ${error.message}`
      : `The database user lacks the right ${right} on ${kind} "${name}"`;
}

function rightOf(statement: string, isLocking: boolean): string {
  const word = changingWord.exec(statement)?.[1]?.toUpperCase();
  if (isLocking) return 'UPDATE';
  if (word === undefined) return 'SELECT';
  return /\bon conflict\b.*\bdo update\b/is.test(statement) ? 'INSERT or UPDATE' : word;
}

function withoutNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
