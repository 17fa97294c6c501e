import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { lockExperimentRuns } from '#server/repositories/locks.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const rows = 10_000;
const kills = isLong ? 10 : 3;

describeOnEachDatabase('a service killed in the middle of a deletion', (database) => {
  const services: ServiceProcess[] = [];
  let deletionMillis: number;

  const insertWhole = async (id: string) => {
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
  const deleteIn = (address: string, id: string) =>
    fetch(`${address}/api/experiments/${id}`, { method: 'DELETE' }).then(
      ({ status }) => status,
      () => 'cut off' as const,
    );

  beforeAll(async () => {
    // Without the indexes, each start would begin to build them.
    await createAuxiliaryIndexes(database());
    await insertWhole('e0');
    const { service, address } = await start();
    const before = performance.now();
    expect(await deleteIn(address, 'e0')).toBe(200);
    deletionMillis = performance.now() - before;
    await kill(service);
  });
  afterAll(() => Promise.all(services.map(kill)));

  test(
    `leaves all ${rows} rows of an experiment or none, ${kills} times at random moments of it`,
    { timeout: 300_000 },
    async () => {
      const outcomes = { all: 0, none: 0 };
      let wasDeleted = true;
      for (let number = 1; number <= kills; number++) {
        // The rows that the last kill did not delete are deleted again.
        const id = `e${outcomes.none + 1}`;
        if (wasDeleted) await insertWhole(id);
        const { service, address } = await start();
        const answer = deleteIn(address, id);
        // One kill in each tenth of the duration, so that each part is tested.
        const moment = ((number - Math.random()) / kills) * deletionMillis * 1.2;
        await new Promise((resolve) => setTimeout(resolve, moment));
        await kill(service);
        const left = await countAfterDeletion(id);
        if ((await answer) === 200) expect(left).toEqual([0, 0, 0]);
        else
          expect([
            [1, 1, rows],
            [0, 0, 0],
          ]).toContainEqual(left);
        wasDeleted = left[0] !== 1;
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
    const counted = sql<Record<string, unknown>>`
      select (select count(*) from experiments where experiment_id = ${id}) as experiments,
        (select count(*) from runs where experiment_id = ${id}) as runs,
        (select count(*) from iterations where run_id = ${id}) as iterations`;
    const { rows: answer } = await counted.execute(kysely);
    return Object.values(answer[0] ?? {}).map(Number);
  }
});
