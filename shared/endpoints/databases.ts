import { addresses } from '#shared/addresses.ts';
import * as databases from '#shared/schemas/databases.ts';

const refusals = ['DATABASE_REFUSED', 'FORBIDDEN_PATH', 'FORBIDDEN_SERVER', 'NOT_FOUND'] as const;

/** The endpoints that choose a database. They require a service with `--choose`. */
export const databaseEndpoints = {
  listDatabases: {
    ...addresses.listDatabases,
    summary: 'The open database and the available ones; 404 without `--choose`',
    response: databases.databaseChoices,
    errors: ['NOT_FOUND'],
  },
  testDatabase: {
    ...addresses.testDatabase,
    summary:
      'Inspect a database: its kind, and whether the service can open it. Opens and changes nothing',
    body: databases.databaseLocation,
    response: databases.inspectionResult,
    errors: refusals,
  },
  openDatabase: {
    ...addresses.openDatabase,
    summary:
      'Open another database instead of the current one, for all users. If that fails, the current one stays open',
    body: databases.openDatabaseBody,
    response: databases.currentDatabase,
    errors: [...refusals, 'IMPORT_RUNNING', 'CREATE_NEEDED', 'LEGACY_SCHEMA', 'TABLES_OF_OTHERS'],
  },
  makeSample: {
    ...addresses.makeSample,
    summary: 'Create a SQLite file with sample runs and a sample campaign, and open it',
    body: databases.sampleBody,
    response: databases.currentDatabase,
    errors: [...refusals, 'IMPORT_RUNNING', 'FILE_EXISTS', 'SAMPLE_RUNNING'],
  },
} as const;
