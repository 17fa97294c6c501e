import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExperimentAnalysis, ExperimentTraces } from '#shared/schemas/analysis.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ImportResult } from '#shared/schemas/import.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  type ExpectedEntry,
  type ExpectedSet,
  findArchive,
  hasDataFolder,
  missingDataReason,
  readExpected,
} from '#tests/support/import-data.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const { datasets, sets, entries } = readExpected();

interface ListedExperiment {
  experimentId: string;
  runName: string;
}

describeOnEachDatabase('the runs of', (database, engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  /** With the data folder each database has every data set, else every second one, because both run the same code. */
  const isIncluded = (_set: unknown, index: number) =>
    hasDataFolder || index % 2 === (engine === 'sqlite' ? 0 : 1);
  const includedSets = datasets.filter((set) => set.runs > 0).filter(isIncluded);

  for (const { dataset, runs, rows, totalEvaluations } of includedSets) {
    const archive = findArchive(dataset);
    const reason = archive === null ? ` (${missingDataReason})` : '';
    describe.skipIf(archive === null)(`${dataset}${reason}`, () => {
      let experiments: ListedExperiment[];
      let campaigns: ImportResult['campaigns'];

      test('are complete', async () => {
        ({ campaigns } = await importDataSets(database(), { path: archive ?? '' }));
        expect(getSum(campaigns, 'runs')).toBe(runs);
        expect(getSum(campaigns, 'iterations')).toBe(rows);
        experiments = await listExperiments(service, dataset);
        expect(experiments.length).toBe(sets.filter((entry) => entry.dataset === dataset).length);
        const storedRuns = await database()
          .kysely.selectFrom('runs')
          .innerJoin('experiment_params as p', 'p.experiment_id', 'runs.experiment_id')
          .where('p.param_path', '=', 'import.dataset')
          .where('p.value_text', '=', dataset)
          .select('runs.evaluations')
          .execute();
        expect(storedRuns.reduce((sum, run) => sum + Number(run.evaluations), 0)).toBe(
          totalEvaluations,
        );
      });

      if (dataset.startsWith('coco-')) {
        test('make a campaign with the same ERTs', async () => {
          const expected = entries.filter((entry) => entry.dataset === dataset);
          const targets = [...new Set(expected.map(({ target }) => target))].join(',');
          for (const { campaignId } of campaigns) {
            const { rows: erts } = await service.get<CampaignErts>(
              `/api/coco/campaigns/${campaignId}/erts?targets=${targets}`,
            );
            for (const entry of expected) {
              const row = erts.find(
                (ert) =>
                  ert.optimizerId === getAlgorithm(entry) &&
                  ert.functionId === entry.function &&
                  ert.dimension === entry.dimension &&
                  ert.targetValue === entry.target,
              );
              expect(row, describeProblem(entry)).toBeDefined();
              expect(row!.trials, describeProblem(entry)).toBe(entry.evalsToTarget.length);
              expect(row!.solvedTrials, describeProblem(entry)).toBe(entry.successes);
              if (entry.ert === null) expect(row!.ert, describeProblem(entry)).toBeNull();
              else expect(row!.ert! / entry.ert, describeProblem(entry)).toBeCloseTo(1, 9);
            }
          }
        });
      }

      test('have the same evaluations and final values as with other readers', async () => {
        for (const set of sets.filter((entry) => entry.dataset === dataset)) {
          const { experimentId } = findExperiment(experiments, set);
          const response = await service.get<ExperimentTraces>(
            `/api/experiments/${experimentId}/traces?points=2000`,
          );
          const sortedRuns = sortRuns(response.runs);
          expect(response.objectiveDirection).toBe(set.direction);
          expect(sortedRuns.map(({ points }) => points.at(-1)?.x)).toEqual(set.evaluations);
          expect(sortedRuns.map(({ points }) => points.at(-1)?.y)).toEqual(set.finalBest);
        }
      }, 300_000);

      test('reach every target at the same evaluations as with other readers, with the same ERT', async () => {
        for (const entry of entries.filter((one) => one.dataset === dataset)) {
          const { experimentId } = findExperiment(experiments, entry);
          const query = `target=${entry.target}&direction=${entry.direction}`;
          const [traces, analysis] = await Promise.all([
            service.get<ExperimentTraces>(
              `/api/experiments/${experimentId}/traces?${query}&points=2`,
            ),
            service.get<ExperimentAnalysis>(
              `/api/experiments/${experimentId}/analysis?${query}&sameProblem=false`,
            ),
          ]);
          const hits = sortRuns(traces.runs).map((run) => run.evaluationsToTarget);
          expect(hits, describeProblem(entry)).toEqual(entry.evalsToTarget);
          expect(analysis.successfulRuns, describeProblem(entry)).toBe(entry.successes);
          if (entry.ert === null) expect(analysis.ert, describeProblem(entry)).toBeNull();
          else expect(analysis.ert! / entry.ert, describeProblem(entry)).toBeCloseTo(1, 12);
        }
      }, 600_000);
    });
  }
});

async function listExperiments(service: TestService, dataset: string): Promise<ListedExperiment[]> {
  const param = encodeURIComponent(`import.dataset = ${JSON.stringify(dataset)}`);
  const experiments: ListedExperiment[] = [];
  for (let page = 0; ; page++) {
    const response = await service.get<{ items: ListedExperiment[] }>(
      `/api/experiments?size=100&page=${page}&param=${param}`,
    );
    experiments.push(...response.items);
    if (response.items.length < 100) return experiments;
  }
}

/** An algorithm without an informative name gets the name of its data set. */
function getAlgorithm({ algorithm, dataset }: ExpectedSet | ExpectedEntry): string {
  return algorithm === 'RS' ? dataset : algorithm;
}

function findExperiment(
  experiments: readonly ListedExperiment[],
  expected: ExpectedSet | ExpectedEntry,
) {
  const algorithm = getAlgorithm(expected);
  const isNumber = typeof expected.function === 'number';
  const suffix = ` ${isNumber ? 'f' : ''}${expected.function} d${expected.dimension}`;
  const matches = experiments.filter(
    ({ runName }) => runName.startsWith(`${algorithm} `) && runName.endsWith(suffix),
  );
  expect(matches.length, describeProblem(expected)).toBe(1);
  return matches[0]!;
}

/** Sorts runs by the instance in their id, unknown instances last, then by repetition. */
function sortRuns<Run extends { runId: string }>(runs: readonly Run[]): Run[] {
  const key = ({ runId }: Run) => {
    const [, instance, repetition] = /-i(\d+)-r(\d+)$/.exec(runId)!.map(Number);
    return (instance || 1e6) * 1e4 + repetition!;
  };
  return [...runs].sort((a, b) => key(a) - key(b));
}

function describeProblem(expected: ExpectedSet | ExpectedEntry): string {
  const target = 'target' in expected ? ` target ${expected.target}` : '';
  return `${expected.algorithm} f${expected.function} d${expected.dimension}${target}`;
}

function getSum<Key extends string>(items: readonly Record<Key, number>[], key: Key): number {
  return items.reduce((sum, item) => sum + item[key], 0);
}
