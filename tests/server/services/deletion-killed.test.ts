import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { lockExperimentRuns } from '#server/repositories/locks.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const rows = 10_000;
const killCount = isLong ? 10 : 3;

describeOnEachDatabase('a service killed in the middle of a deletion', (database) => {
  const services: ServiceProcess[] = [];
  let deletionMillis: number;

  const insertExperimentWithRows = async (id: string) => {
    await insertExperiment(database(), id);
    await insertRun(database(), id, id);
    await insertIterations(database(), id, rows);
  };
  const start = async () => {
    const service = spawnService(['--db', database().url, '--port', '0', '--log-level', 'error']);
    services.push(service);
    return { service, address: parseAddress(await service.readyLine) };
  };
  const kill = ({ child, exitCode }: ServiceProcess) => (child.kill('SIGKILL'), exitCode);
  const deleteExperiment = (address: string, id: string) =>
    fetch(`${address}/api/experiments/${id}`, { method: 'DELETE' }).then(
      ({ status }) => status,
      () => 'cut off' as const,
    );

  beforeAll(async () => {
    // Without the indexes, each start would begin to build them.
    await createAuxiliaryIndexes(database());
    await insertExperimentWithRows('e0');
    const { service, address } = await start();
    const startedAt = performance.now();
    expect(await deleteExperiment(address, 'e0')).toBe(200);
    deletionMillis = performance.now() - startedAt;
    await kill(service);
  });
  afterAll(() => Promise.all(services.map(kill)));

  test(
    `leaves all ${rows} rows of an experiment or none, ${killCount} times at random moments of it`,
    { timeout: 300_000 },
    async () => {
      const outcomes = { all: 0, none: 0 };
      let wasDeleted = true;
      for (let number = 1; number <= killCount; number++) {
        // The rows that the last kill did not delete are deleted again.
        const id = `e${outcomes.none + 1}`;
        if (wasDeleted) await insertExperimentWithRows(id);
        const { service, address } = await start();
        const deletionStatus = deleteExperiment(address, id);
        // One kill in each tenth of the duration, so that the kills test each part.
        const delayMillis = ((number - Math.random()) / killCount) * deletionMillis * 1.2;
        await new Promise((resolve) => setTimeout(resolve, delayMillis));
        await kill(service);
        const remainingRows = await countAfterDeletion(id);
        if ((await deletionStatus) === 200) expect(remainingRows).toEqual([0, 0, 0]);
        else
          expect([
            [1, 1, rows],
            [0, 0, 0],
          ]).toContainEqual(remainingRows);
        wasDeleted = remainingRows[0] !== 1;
        outcomes[wasDeleted ? 'none' : 'all'] += 1;
      }
      // Kills only before or only after the deletion would not test its middle.
      expect(outcomes.all).toBeGreaterThan(0);
    },
  );

  /** Returns the number of remaining rows. Waits for the locks of the lost transaction, which PostgreSQL may still be ending. */
  async function countAfterDeletion(id: string): Promise<number[]> {
    const { kysely, dialect } = database();
    await dialect.withWriteTransaction((transaction) =>
      lockExperimentRuns(transaction, dialect, id),
    );
    const countQuery = sql<Record<string, unknown>>`
      select (select count(*) from experiments where experiment_id = ${id}) as experiments,
        (select count(*) from runs where experiment_id = ${id}) as runs,
        (select count(*) from iterations where run_id = ${id}) as iterations`;
    const { rows: countRows } = await countQuery.execute(kysely);
    return Object.values(countRows[0] ?? {}).map(Number);
  }
});
