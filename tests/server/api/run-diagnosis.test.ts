import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { searchedDiagnoses } from '#shared/words.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import type { Database } from '#server/db/database.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { causes, getRuns } from '#tests/server/telemetry/diagnosis/constructed-causes.ts';
import type { ConstructedRun } from '#tests/server/telemetry/diagnosis/constructed-runs.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Imported runs are known by their ids. */
const getRunId = (isImported: boolean, name: string): string =>
  isImported ? `imp-0123456789ab-${name}` : name;

/** Writes a run with its experiment as its runner, or an import, would. */
async function store(database: Database, run: ConstructedRun, name: string): Promise<void> {
  const now = new Date().toISOString();
  const time = run.isSilent || run.status !== 'RUNNING' ? '2026-03-01T10:00:00Z' : now;
  const runId = getRunId(run.isImported, name);
  await insertExperiment(database, name, {
    problem_type: run.problemType,
    representation_type: (run.config['representation'] as { type: string }).type,
    config_json: JSON.stringify(run.config),
  });
  await insertRun(database, name, runId, {
    status: run.status,
    start_time: time,
    iterations: run.iterations,
    evaluations: run.evaluations,
    best_fitness: run.bestFitness,
  });
  await insert(
    database,
    'iterations',
    ...run.rows.map((row) => ({
      run_id: runId,
      iteration: row.iteration,
      evaluations: row.evaluations,
      best_fitness: row.best,
      mean_fitness: row.mean,
      metrics_json: JSON.stringify(row.metrics),
      created_at: time,
    })),
  );
}

describeOnEachDatabase('GET /api/runs?diagnosis=', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
  });

  afterAll(() => service.close());

  const list = (query: string) => service.get<ResponseBody<'listRuns'>>(`/api/runs?${query}`);
  const ids = async (query: string) => {
    const { items, total } = await list(`size=200&${query}`);
    expect(items).toHaveLength(total);
    return items.map(({ runId }) => runId).sort();
  };

  test(
    'finds by each code exactly the runs whose insights say it',
    { timeout: 120_000 },
    async () => {
      const said = new Map<string, string[]>(searchedDiagnoses.map((code) => [code, []]));
      for (const runId of await ids('')) {
        const { diagnosis } = await service.get<ResponseBody<'getInsights'>>(
          `/api/runs/${runId}/insights`,
        );
        for (const { code } of diagnosis) said.get(code)?.push(runId);
      }
      for (const [code, runIds] of said) {
        expect(runIds.length, code).toBeGreaterThan(0);
        expect(await ids(`diagnosis=${code.toLowerCase()}`), code).toEqual(runIds.sort());
      }
      const either = [...(said.get('STAGNATION') ?? []), ...(said.get('SILENT') ?? [])];
      expect(await ids('diagnosis=STAGNATION&diagnosis=SILENT')).toEqual(
        [...new Set(either)].sort(),
      );
    },
  );

  test('can be combined with the other filters, sorting and paging', async () => {
    const all = await ids('diagnosis=TARGET_REACHED&problem=onemax&algorithm=umda');
    expect(all.length).toBeGreaterThan(3);
    const page = await list('diagnosis=TARGET_REACHED&problem=onemax&algorithm=umda&size=2&page=1');
    expect(page).toMatchObject({ total: all.length, page: 1, items: { length: 2 } });
    for (const { runId, algorithmType } of page.items) {
      expect(all).toContain(runId);
      expect(algorithmType).toBe('umda');
    }
    expect(await ids('diagnosis=SILENT&status=COMPLETED')).toEqual([]);
  });

  test('immediately shows changes: a run that continues, and a rewritten one', async () => {
    await insert(database(), 'experiments', {
      experiment_id: 'growing',
      config_hash: 'growing',
      config_json: '{"target":5}',
    });
    await insert(database(), 'runs', {
      run_id: 'growing',
      experiment_id: 'growing',
      status: 'RUNNING',
    });
    const point = (iteration: number, best_fitness: number) =>
      insert(database(), 'iterations', { run_id: 'growing', iteration, best_fitness });
    const solved = () => ids('diagnosis=TARGET_REACHED&q=growing');
    await point(0, 4);
    expect(await solved()).toEqual([]);
    await point(1, 5);
    expect(await solved()).toEqual(['growing']);
    const { kysely } = database();
    const change = (to: object) =>
      kysely.updateTable('runs').set(to).where('run_id', '=', 'growing').execute();
    await change({ status: 'COMPLETED', end_time: '2026-11-21T10:00:00Z' });
    expect(await solved()).toEqual(['growing']);
    await kysely.deleteFrom('iterations').where('run_id', '=', 'growing').execute();
    await change({ end_time: '2026-11-21T11:00:00Z' });
    expect(await solved()).toEqual([]);
  });

  test('reports the causes of missed targets from the rows of the runs, and filters by them', async () => {
    const patient = 'constructed';
    for (const [place, cause] of causes.entries()) {
      const [run] = getRuns(cause, 1);
      if (run) await store(database(), run, `${patient}-${place}`);
    }
    const filtered = new Map<string, string[]>();
    for (const code of searchedDiagnoses) {
      filtered.set(code, await ids(`diagnosis=${code}&q=${patient}`));
    }
    for (const [place, cause] of causes.entries()) {
      const [run] = getRuns(cause, 1);
      const runId = getRunId(run?.isImported ?? false, `${patient}-${place}`);
      const { diagnosis } = await service.get<ResponseBody<'getInsights'>>(
        `/api/runs/${runId}/insights`,
      );
      const codes = diagnosis.map(({ code }) => code);
      if (cause.code !== null) expect(codes, cause.name).toContain(cause.code);
      expect(
        codes.filter((code) => cause.contradictions.includes(code)),
        cause.name,
      ).toEqual([]);
      for (const code of searchedDiagnoses) {
        expect(filtered.get(code)?.includes(runId), `${cause.name} ${code}`).toBe(
          codes.includes(code),
        );
      }
    }
  });

  test('refuses a code that cannot be searched for', async () => {
    for (const code of ['NOTHING', 'DIVERSITY_LOST']) {
      expect(await service.getProblem(`/api/runs?diagnosis=${code}`)).toMatchObject({
        status: 400,
        detail: expect.stringContaining(
          'must be one of TARGET_REACHED, STAGNATION, STILL_IMPROVING, CRASHED, STOPPED_BY_USER, SILENT',
        ) as string,
      });
    }
  });
});
