import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Across } from '#shared/schemas/analysis-across.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

interface Behaviour {
  /** Evaluations of one generation. */
  generation?: number;
  /** Evaluations of each run. */
  budget?: number;
  /** How much larger its fitness is at every evaluation. */
  factor?: number;
  /** Status of its last run. */
  lastStatus?: string;
  runs?: number;
}

/** Fitness of a run after so many evaluations: more evaluations give less, and runs differ from each other. */
const fitnessAt = (evaluations: number, run: number, factor: number) =>
  ((1 + ((run * 7) % 10) / 10) * factor * 1_000) / evaluations;

describeOnEachDatabase('The table across instances', (database) => {
  let service: TestService;
  const across = (type: string, query = '') =>
    service.get<Across>(`/api/analysis/across?algorithm=${type}-a&algorithm=${type}-b&${query}`);

  async function insertProblem(type: string, dimension: number, groups: Record<string, Behaviour>) {
    const problem = `${type}${dimension}`;
    for (const [
      name,
      { budget = 1_000, generation = 200, factor = 1, lastStatus, runs = 10 },
    ] of Object.entries(groups)) {
      const id = `${problem}-${name}`;
      await insertExperiment(database(), id, {
        algorithm_type: `${type}-${name}`,
        problem_type: problem,
        config_json: JSON.stringify({
          algorithm: { type: name },
          problem: { type: problem, params: { direction: 'min', optimum: 0 } },
        }),
      });
      for (let run = 0; run < runs; run += 1) {
        const status = run === runs - 1 ? (lastStatus ?? 'COMPLETED') : 'COMPLETED';
        const runId = `${id}-${run}`;
        await insertRun(database(), id, runId, {
          seed: run,
          status,
          evaluations: budget,
          start_time: `2026-01-01T00:00:${String(run).padStart(2, '0')}Z`,
          best_fitness: fitnessAt(budget, run, factor),
        });
        const steps = Array.from(
          { length: budget / generation },
          (_, step) => generation * (step + 1),
        );
        await insert(
          database(),
          'iterations',
          ...steps.map((evaluations, iteration) => ({
            run_id: runId,
            iteration,
            evaluations,
            best_fitness: fitnessAt(evaluations, run, factor),
          })),
        );
      }
    }
  }

  beforeAll(async () => {
    for (const dimension of [1, 2, 3, 4, 5, 6]) {
      await insertProblem('budgets', dimension, { a: { budget: 4_000 }, b: { budget: 1_000 } });
      await insertProblem('true', dimension, { a: {}, b: { factor: 5 } });
      await insertProblem('open', dimension, {
        a: {},
        b: { factor: 5, ...(dimension === 1 && { lastStatus: 'RUNNING' }) },
      });
      await insertProblem('short', dimension, { a: { budget: 4_000, generation: 2_000 }, b: {} });
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  const claims = ({ cells, pairTests, instanceTests }: Across) => ({
    bold: cells.filter(({ clearlyBest }) => clearlyBest).length,
    beaten: cells.filter(({ indistinguishable }) => indistinguishable === false).length,
    pairs: pairTests.pairs.filter(({ significant }) => significant).length,
    tests: instanceTests.filter(({ significant }) => significant).length,
  });
  const nothing = { bold: 0, beaten: 0, pairs: 0, tests: 0 };

  it('claims nothing for equal algorithms of which one had four times the budget', async () => {
    const answer = await across('budgets');
    expect(answer.instances.map(({ commonBudget }) => commonBudget)).toEqual(Array(6).fill(1_000));
    expect(answer.instances[0]?.differences.budget).toEqual({ least: 1_000, most: 4_000 });
    expect(new Set(answer.cells.map(({ value }) => value)).size).toBe(1);
    expect(claims(answer)).toEqual(nothing);
    const latex = await fetch(
      `${service.url}/api/analysis/across/latex?algorithm=budgets-a&algorithm=budgets-b`,
    );
    expect(await latex.text()).not.toMatch(/boldmath|textbf|\^\{\*\}/);
  });

  it('claims a true difference on every instance and over all of them', async () => {
    const answer = await across('true');
    expect(claims(answer)).toEqual({ bold: 6, beaten: 6, pairs: 1, tests: 6 });
    expect(answer.guard.heading).toBe('For one look at n = 10 runs per group.');
    expect(answer.pairTests.pairs[0]).toMatchObject({
      better: 'true-a',
      blocks: 6,
      significant: true,
    });
  });

  it('claims nothing on any instance while one run of one instance is RUNNING', async () => {
    const answer = await across('open');
    expect(claims(answer)).toEqual(nothing);
    expect(answer.guard).toMatchObject({
      isInterim: true,
      heading: 'Interim: 1 run still running, so the tests claim no difference yet.',
    });
    const latex = await fetch(
      `${service.url}/api/analysis/across/latex?algorithm=open-a&algorithm=open-b`,
    );
    const text = await latex.text();
    expect(text).toContain('The table marks no cell while a run is RUNNING.');
    expect(text).not.toMatch(/boldmath|textbf|\^\{\*\}/);
  });

  it('excludes instances on which one group was observed for less than a generation of the other', async () => {
    const answer = await across('short');
    expect(answer.instances).toEqual([]);
    expect(answer.notes.map(({ message }) => message).join(' ')).toContain(
      'fewer than two groups have results within a common budget',
    );
  });

  it('has the p-values behind the marks in CSV', async () => {
    const response = await fetch(
      `${service.url}/api/analysis/across?algorithm=true-a&algorithm=true-b&format=csv&table=instance-tests`,
    );
    const [head, ...rows] = (await response.text()).trim().split(/\r?\n/);
    expect(head).toContain('instance,a,b,commonBudget,reason');
    expect(rows).toHaveLength(6);
  });
});
