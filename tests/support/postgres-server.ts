import type { TestProject } from 'vitest/node';
import { startPostgresServer, type PostgresServer } from './embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server on which suites may create databases, or the reason why there is none. */
    postgres: { url: string } | { failure: string };
  }
}

let server: PostgresServer | undefined;

/**
 * Starts the PostgreSQL server that all database suites share. Uses the server of TEST_POSTGRES_URL instead if it is
 * set; its user must be allowed to create databases. If the server does not start, only the suites that use it fail,
 * with the reason.
 */
export async function setup(project: TestProject): Promise<void> {
  const externalUrl = process.env['TEST_POSTGRES_URL'];
  if (externalUrl) return project.provide('postgres', { url: externalUrl });
  try {
    server = await startPostgresServer();
    project.provide('postgres', { url: server.url });
  } catch (error) {
    project.provide('postgres', { failure: (error as Error).message });
  }
}

/** Stops the server that {@link setup} started. */
export async function teardown(): Promise<void> {
  await server?.remove();
}
