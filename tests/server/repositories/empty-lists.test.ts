import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { listPayloads } from '#server/repositories/events.ts';
import { listParamValues, listPathsAmong, listWholeParams } from '#server/repositories/params.ts';
import { listIterationsAt, listPayloadsOfTypes } from '#server/repositories/recorded-runs.ts';
import { listTimes } from '#server/repositories/telemetry.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';

type Query = (database: Database) => Promise<unknown[]>;

const anyExperiment = sql<{ experiment_id: string }>`(select experiment_id from experiments)`;

describeOnEachDatabase('An empty list', (getDatabase) => {
  test.each<[what: string, query: Query]>([
    ['iterations of a run', (database) => listIterationsAt(database, 'r1', [])],
    ['times of iterations', (database) => listTimes(database, 'r1', [])],
    ['types of events', (database) => listPayloadsOfTypes(database, 'r1', [])],
    ['ids of events', (database) => listPayloads(database, [])],
    ['experiments with parameters', (database) => listWholeParams(database, [])],
    ['paths of values', (database) => listParamValues(database, ['e1'], [])],
    ['paths of parameters', (database) => listPathsAmong(database, [], anyExperiment)],
  ])('of %s selects no rows', async (_what, query) => {
    expect(await query(getDatabase())).toEqual([]);
  });
});
