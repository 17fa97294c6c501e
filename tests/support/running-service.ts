import { expect } from 'vitest';
import type { Health } from '#shared/schemas/service.ts';
import { onServer } from './databases.ts';
import { parseAddress, spawnService, type ServiceProcess } from './service-process.ts';

/** A service as a separate process that is ready. */
export interface RunningService {
  readonly process: ServiceProcess;
  readonly url: string;
  /** Returns the body of a response; throws for any status but 200. */
  readonly get: (path: string) => Promise<string>;
  /** Returns the state of the replica, as health reports it. */
  readonly readReplica: () => Promise<NonNullable<Health['replica']>>;
}

/** Starts a service with these variables on a free port; the test ends it. */
export async function startRunningService(
  environment: Record<string, string>,
): Promise<RunningService> {
  const process = spawnService(['--port', '0'], { environment });
  const url = parseAddress(await process.readyLine);
  const get = async (path: string) => {
    const response = await fetch(url + path);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return text;
  };
  const readHealth = async () => JSON.parse(await get('/api/health')) as Health;
  return { process, url, get, readReplica: async () => (await readHealth()).replica! };
}

/** The state of a replica that is read and has no lag. */
const currentReplica = { isUsed: true, lagMillis: 0, note: null };

/** Waits until services read from their replica and it has no lag. */
export async function waitForReplica(...services: RunningService[]): Promise<void> {
  for (const { readReplica } of services) {
    await expect.poll(readReplica, { timeout: 60_000 }).toMatchObject(currentReplica);
  }
}

/** Stops the replay on a replica while `work` runs, so that its rows stay the same. */
export async function pauseReplay<Result>(
  replicaUrl: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await onServer(replicaUrl, (client) => client.query('select pg_wal_replay_pause()'));
  try {
    return await work();
  } finally {
    await onServer(replicaUrl, (client) => client.query('select pg_wal_replay_resume()'));
  }
}
