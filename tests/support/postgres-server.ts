import type { TestProject } from 'vitest/node';
import { startPostgresServer, type PostgresServer } from './embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server on which suites may create databases, or why there is none. */
    postgres: { url: string } | { failure: string };
  }
}

let server: PostgresServer | undefined;

/**
 * Starts the PostgreSQL server that all database suites share; with TEST_POSTGRES_URL that server is used
 * instead, whose user must be allowed to create databases. A server that does not start fails each suite
 * that asks for it, with the reason, and leaves the others alone.
 */
export async function setup(project: TestProject): Promise<void> {
  const external = process.env['TEST_POSTGRES_URL'];
  if (external) return project.provide('postgres', { url: external });
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
