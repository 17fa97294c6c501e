import type { TestProject } from 'vitest/node';
import { startPostgresServer, type PostgresServer } from './embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server on which suites may create databases. */
    postgresUrl: string;
  }
}

let server: PostgresServer | undefined;

/**
 * Starts the PostgreSQL server that all database suites share; with TEST_POSTGRES_URL that server is used
 * instead, whose user must be allowed to create databases.
 */
export async function setup(project: TestProject): Promise<void> {
  const external = process.env['TEST_POSTGRES_URL'];
  if (!external) server = await startPostgresServer();
  project.provide('postgresUrl', external || (server?.url ?? ''));
}

/** Stops the server that {@link setup} started. */
export async function teardown(): Promise<void> {
  await server?.remove();
}
