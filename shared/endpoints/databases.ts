import { addresses } from '#shared/addresses.ts';
import * as databases from '#shared/schemas/databases.ts';

const refusals = ['DATABASE_REFUSED', 'FORBIDDEN_PATH', 'FORBIDDEN_SERVER', 'NOT_FOUND'] as const;
const switching = ['IMPORT_RUNNING', 'SERVICE_STOPPING'] as const;

/** The endpoints that choose a database; they need a service that was started with `--choose`. */
export const databaseEndpoints = {
  listDatabases: {
    ...addresses.listDatabases,
    summary: 'The open database, and those that can be chosen; 404 without `--choose`',
    answer: databases.databaseChoices,
    errors: ['NOT_FOUND'],
  },
  testDatabase: {
    ...addresses.testDatabase,
    summary: 'What a database is and whether it can be opened; opens nothing and changes nothing',
    body: databases.databasePlace,
    answer: databases.databaseTest,
    errors: refusals,
  },
  openDatabase: {
    ...addresses.openDatabase,
    summary:
      'Open another database in place of the present one, for everybody; when that fails, the present one stays',
    body: databases.openDatabaseBody,
    answer: databases.currentDatabase,
    errors: [...refusals, ...switching, 'CREATE_NEEDED', 'LEGACY_SCHEMA', 'TABLES_OF_OTHERS'],
  },
  makeSample: {
    ...addresses.makeSample,
    summary: 'Make a new SQLite file with sample runs and a sample campaign, and open it',
    body: databases.sampleBody,
    answer: databases.currentDatabase,
    errors: [...refusals, ...switching, 'FILE_EXISTS', 'SAMPLE_RUNNING'],
  },
} as const;
