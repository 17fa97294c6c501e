import { beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import {
  countExperiments,
  findExperiment,
  listExperimentIds,
  listExperiments,
} from '#server/repositories/experiments.ts';
import { groupRuns } from '#server/repositories/facets.ts';
import {
  findFamilyText,
  listScalars,
  listTraceGains,
  listFitnessRanges,
  listNewestRows,
} from '#server/repositories/iterations.ts';
import { listIterationsAt } from '#server/repositories/recorded-runs.ts';
import { countRuns, listRunIds } from '#server/repositories/runs.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { fillScaleDatabase } from '#tests/bench/scale-data.ts';
import { getPlan, listTableScans } from '#tests/support/explain.ts';
import { inspectPlan, listQueries, type ListQuery } from '#tests/support/list-plans.ts';
import { sql } from 'kysely';
import { experimentsQuery } from '#shared/schemas/experiment.ts';
import { runsQuery } from '#shared/schemas/run.ts';

describeOnEachDatabase('A query of a large database', (database) => {
  beforeAll(async () => {
    await fill(database());
    await createAuxiliaryIndexes(database());
    await sql`analyze`.execute(database().kysely);
  });

  const filter = runsQuery.parse({});

  test('for the first page of runs, newest first, uses an index', async () => {
    const plan = await getPlan(database(), (store) =>
      listRunIds(store, filter, { ...filter, pageRequest: filter }),
    );
    expect(plan).toMatch(/using ((covering )?index )?idx_evoscope_runs_start/i);
  });

  test('for any page of all runs by start or by best fitness reads only an index, in its order', async () => {
    for (const sortBy of ['start_time', 'best_fitness'] as const) {
      for (const sortDir of ['asc', 'desc'] as const) {
        const listOptions = { sortBy, sortDir, pageRequest: { page: 4, size: 25 } };
        const plan = await getPlan(database(), (store) => listRunIds(store, filter, listOptions));
        expect(plan, `${sortBy} ${sortDir}`).toMatch(
          /(using covering index|index only scan( backward)? using) idx_evoscope_runs_(start|best)/i,
        );
        expect(plan, `${sortBy} ${sortDir}`).not.toMatch(
          /seq scan|^scan r$|temp b-tree|sort key/im,
        );
      }
    }
  });

  test('for the ends of traces reads one row of an index for each end', async () => {
    const plan = await getPlan(database(), (store) => listTraceGains(store, ['e7', 'e8']));
    expect(plan).not.toMatch(/seq scan on (iterations|runs)|scan r\b|temp b-tree|sort key/i);
  });

  test('for one experiment reads only its runs, from the index', async () => {
    const plan = await getPlan(database(), (store) => findExperiment(store, 'e7'));
    expect(plan).toMatch(/idx_(evoscope_)?runs_(experiment|latest|extremes)/i);
    expect(plan).not.toMatch(/seq scan on runs|scan r\b/i);
  });

  test('for a page of experiments reads only an index of runs', async () => {
    const filterOfExperiments = experimentsQuery.parse({});
    const plan = await getPlan(database(), (store) =>
      listExperimentIds(store, filterOfExperiments, {
        ...filterOfExperiments,
        pageRequest: filterOfExperiments,
      }),
    );
    expect(plan).toMatch(/idx_evoscope_runs_latest/);
    const pagePlan = await getPlan(database(), (store) => listExperiments(store, ['e1', 'e2']));
    expect(pagePlan).not.toMatch(/seq scan on runs|scan r\b/i);
  });

  test('for experiments by best fitness reads the ends of an index, not all runs', async () => {
    for (const sortDir of ['asc', 'desc'] as const) {
      const filterByBest = experimentsQuery.parse({ sortBy: 'best_fitness', sortDir });
      const plan = await getPlan(database(), (store) =>
        listExperimentIds(store, filterByBest, { ...filterByBest, pageRequest: filterByBest }),
      );
      expect(plan).toMatch(/idx_evoscope_runs_extremes/);
      expect(plan).not.toMatch(/seq scan on runs|scan r\b/i);
    }
  });

  test('for the runs with a status or of an algorithm reads an index, without the runs', async () => {
    for (const narrowFilter of [{ status: ['FAILED'] }, { algorithm: ['pbil'] }]) {
      const plan = await getPlan(database(), (store) =>
        countRuns(store, runsQuery.parse(narrowFilter)),
      );
      expect(plan).toMatch(/idx_(evoscope_)?runs_(status|experiment|latest|extremes)/);
      if (database().dialect.name === 'sqlite') {
        expect(plan).toMatch(/r using covering index/i);
        expect(plan).not.toMatch(/scan r\b/i);
      }
    }
  });

  test('for the number of experiments counts no runs', async () => {
    const filterOfExperiments = experimentsQuery.parse({ problem: 'onemax' });
    const plan = await getPlan(database(), (store) => countExperiments(store, filterOfExperiments));
    expect(plan).not.toContain('runs');
  });

  test('for facets reads no row of runs', async () => {
    const plan = await getPlan(database(), (store) => groupRuns(store, 'include'));
    if (database().dialect.name === 'sqlite') expect(plan).toMatch(/r using covering index/i);
  });

  test('for facets without trials reads only the runs of trials', async () => {
    const plan = await getPlan(database(), (store) => groupRuns(store, 'exclude'));
    if (database().dialect.name === 'sqlite') expect(plan).not.toMatch(/scan r using index/i);
    expect(plan).not.toMatch(/subplan/i);
  });

  test('for the progress of runs reads only their newest rows, and their range from an index', async () => {
    const rowsPlan = await getPlan(database(), (store) => listNewestRows(store, ['r5', 'r6']));
    expect(rowsPlan).not.toMatch(/seq scan on (runs|iterations)|scan (i|r|t)$/im);
    const rangePlan = await getPlan(database(), (store) => listFitnessRanges(store, ['r5', 'r6']));
    expect(rangePlan).toMatch(/index/i);
    if (database().dialect.name === 'sqlite') expect(rangePlan).toMatch(/covering index/i);
  });

  test('for the number of all runs reads no experiment', async () => {
    const plan = await getPlan(database(), (store) => countRuns(store, filter));
    expect(plan).not.toContain('experiments');
  });

  test('for one run’s iterations reads only its rows, and sorts nothing', async () => {
    for (const runQuery of [
      (store: TestDatabase) => listScalars(store, { runId: 'r5', after: 3 }),
      (store: TestDatabase) => findFamilyText(store, 'r5'),
    ]) {
      const plan = await getPlan(database(), runQuery);
      expect(plan).toMatch(/index/i);
      expect(plan).not.toMatch(/seq scan|temp b-tree/i);
    }
  });
});

describeOnEachDatabase('The queries of a recording', (database) => {
  beforeAll(async () => {
    await fill(database());
    await createAuxiliaryIndexes(database());
    await sql`analyze`.execute(database().kysely);
  });

  test('for some iterations read no others, also of a run that is newer than the statistics', async () => {
    const iterations = Array.from({ length: 500 }, (_, index) => 9_000 + index);
    for (const runId of ['r5', 'newer']) {
      const plan = await getPlan(database(), (store) => listIterationsAt(store, runId, iterations));
      expect(plan).toMatch(/index cond: .*run_id = .*iteration|run_id=\? AND iteration/i);
    }
  });
});

describeOnEachDatabase('The queries of every list', (database) => {
  beforeAll(async () => {
    await fillScaleDatabase(database(), { runs: 2_000, iterationsPerRun: 20 });
    await createAuxiliaryIndexes(database());
    await sql`analyze`.execute(database().kysely);
  });

  const ids = { runId: 'run-1', experimentId: 'experiment-1', campaignId: 'campaign' };
  const getKind = ({ title }: ListQuery) => /experiments|runs/.exec(title)?.[0] ?? 'others';

  test.each([...Map.groupBy(listQueries(ids), getKind)])(
    'read all runs only if the response needs them, and never all iterations or events: %s',
    async (_kind, queries) => {
      const faults: string[] = [];
      const knownStatements = new Set<string>();
      for (const query of queries) {
        const verdict = await inspectPlan(database(), query, { avoidScans: true, knownStatements });
        for (const fault of verdict.faults)
          faults.push(`${query.title}: ${fault}\n${verdict.plan}`);
      }
      expect(faults).toEqual([]);
    },
  );

  test('are inspected again if a query that needs no runs sends a known statement', async () => {
    const runQueries = ({ kysely }: Database) => kysely.selectFrom('runs').selectAll().execute();
    const options = { knownStatements: new Set<string>() };
    const allowed = { title: 'allowed', runQueries, fullReadReason: 'counts runs' };
    expect((await inspectPlan(database(), allowed, options)).faults).toEqual([]);
    const restricted = { title: 'restricted', runQueries };
    expect((await inspectPlan(database(), restricted, options)).faults).toEqual([
      'reads all rows of runs',
    ]);
  });
});

test.each([
  [
    'select * from "experiments" as "e" inner join "runs" on "runs"."a" = "e"."a"',
    'runs',
    ['runs'],
  ],
  ['select * from "runs" where 1', 'runs', ['runs']],
  ['select * from "events" as "x" where (select 1 from "a" as "x")', 'x', ['events', 'a']],
  ['select * from (select 1) as "x" left join "runs" as "r" on 1', 'x', []],
])('The scan of %s in a plan of SQLite names the table', (statement, name, tables) => {
  const scans = listTableScans(statement, `SCAN ${name}`);
  expect(scans.map(({ table }) => table)).toEqual(tables);
});

async function fill({ kysely, dialect }: TestDatabase): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)`;
  await sql`insert into experiments ${numbers} select 'e' || i, 'e' || i, '3.0', null, 'umda', 'm',
    'onemax', 'bitstring', 't', 'e', 'm', 1, '', '{}', '2026' from n where i <= 200`.execute(
    kysely,
  );
  await sql`insert into runs (run_id, experiment_id, seed, status, start_time, best_fitness)
    ${numbers} select 'r' || i, 'e' || (1 + i % 200), i, case i % 97 when 0 then 'RUNNING' when 1 then 'FAILED'
      when 2 then 'STOPPED' else 'COMPLETED' end, '2026-01-01T00:' || (10 + i / 150) || ':' || (10 + i % 50) || '.123456Z', i % 1000
    from n`.execute(kysely);
  await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness,
      std_fitness, diagnostics_json, created_at)
    ${numbers} select 'r' || (1 + i % 50), i, i, 1, 1, 1, '{}', '2026' from n`.execute(kysely);
  if (dialect.name === 'postgres') await sql`analyze runs`.execute(kysely);
}
