import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { flattenConfig, type FlatParam } from '#server/recording/recorder.ts';
import {
  selectBestByDirection,
  countExperiments,
  listExperimentIds,
  listExperiments,
} from '#server/repositories/experiments.ts';
import { findRareStatusCondition } from '#server/repositories/filters.ts';
import { listTraceGains } from '#server/repositories/iterations.ts';
import { countRuns } from '#server/repositories/runs.ts';
import { countRunningRuns } from '#server/repositories/summary.ts';
import { parseConfig } from '#server/domain/config.ts';
import { findDirection } from '#server/domain/objective.ts';
import { sortAscending } from '#server/stats/descriptive.ts';
import { maskParam } from '#server/domain/secrets/mask-params.ts';
import { canContainSecret, getSecrecyOfKey } from '#server/domain/secrets/secret-words.ts';
import { experimentsQuery } from '#shared/schemas/experiment.ts';
import { type ParamRow, runsQuery } from '#shared/schemas/run.ts';
import { experimentStatuses, isRunning } from '#shared/words.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';

/** Inputs for which a rule must have the same result on both databases. */
interface Sample {
  problemType: string;
  config: { text: string; params: FlatParam[] };
  runs: { status: string; isTrial: boolean; fitness: number[] }[];
}

/** Returns an arbitrary of words in several spellings, and similar words. */
const makeSpellings = (...words: string[]) =>
  fc
    .record({
      word: fc.constantFrom(...words, '', 'other'),
      padding: fc.constantFrom('', '', ' ', '\t', '\n ', '\u00A0'),
      isUpper: fc.boolean(),
    })
    .map(({ word, padding, isUpper }) => padding + (isUpper ? word.toUpperCase() : word) + padding);

const statedDirection = fc.oneof(
  makeSpellings('min', 'max', 'Minimize', 'maximisation', 'maxımum', 'accuracy'),
  fc.constantFrom(null, true, ['max'], { max: 'max' }),
);
const members = fc.record(
  { direction: statedDirection, objective: statedDirection, sense: statedDirection },
  { requiredKeys: [] },
);
const config: fc.Arbitrary<Sample['config']> = fc.oneof(
  fc.oneof(members, fc.record({ params: members })).map((problem) => ({
    text: JSON.stringify({ problem, direction: 'max', note: '😀' }, null, 1).replace(
      '😀',
      String.raw`\ud83d\ude00`,
    ),
    params: flattenConfig({ problem }),
  })),
  fc.constantFrom('', '{', '[]', 'null', '"max"').map((text) => ({ text, params: [] })),
);
const anyFitness = fc.constantFrom(1, 2, -1.7e308, 1.7e308, Infinity, -Infinity);
const sample: fc.Arbitrary<Sample> = fc.record({
  config,
  problemType: makeSpellings('sphere', 'onemax', 'tsplib-tsp', 'plugin', '\u212Anapsack'),
  runs: fc.array(
    fc.record({
      status: fc.constantFrom('RUNNING', 'running', 'Completed', 'FAILED', 'runnıng', 'odd'),
      isTrial: fc.boolean(),
      fitness: fc.array(anyFitness, { maxLength: 4 }),
    }),
    { maxLength: 3 },
  ),
});

/** Returns the difference between the first and the last finite fitness of a run; empty without finite fitness. */
function getGain(allExperiments: readonly number[]): number[] {
  const finiteValues = allExperiments.filter(Number.isFinite);
  return finiteValues.length === 0 ? [] : [finiteValues.at(-1)! - finiteValues[0]!];
}

const allExperiments = experimentsQuery.parse({});

describeOnEachDatabase('rules in SQL', (database) => {
  let count = 0;

  async function insertSample({ config: { text, params }, problemType, runs }: Sample) {
    const experiment_id = `e${(count += 1)}`;
    const columns = { problem_type: problemType, config_json: text, config_hash: experiment_id };
    await insert(database(), 'experiments', { experiment_id, ...columns });
    await insert(
      database(),
      'experiment_params',
      ...params.map((param) => ({ ...param, experiment_id })),
    );
    for (const [index, { status, isTrial, fitness }] of runs.entries()) {
      const run_id = `${experiment_id}-${index}`;
      await insert(database(), 'runs', { run_id, experiment_id, status, best_fitness: index });
      const iterations = fitness.map((best_fitness, iteration) => ({ iteration, best_fitness }));
      await insert(database(), 'iterations', ...iterations.map((row) => ({ ...row, run_id })));
      if (isTrial) await insertTrial(database(), run_id);
    }
    return experiment_id;
  }

  test('have the results of the same rules in TypeScript for every experiment', async () => {
    await insert(database(), 'coco_campaigns', {});
    const samples = fc.sample(sample, { numRuns: 150, seed: 20_261_122 });
    const expected = new Map<string, Sample>();
    for (const one of samples) expected.set(await insertSample(one), one);
    for (const { id, best } of await listBestFitness(database())) {
      const { problemType, config: ownConfig, runs } = expected.get(id)!;
      const traceGains = runs.flatMap((run) => getGain(run.fitness));
      const gains = await listTraceGains(database(), [id]);
      expect(sortAscending(gains.get(id) ?? [])).toEqual(sortAscending(traceGains));
      const parsedConfig = parseConfig(ownConfig.text);
      const { direction } = findDirection({ config: parsedConfig, problemType, traceGains });
      const values = runs.flatMap((run, index) => [
        index,
        ...(isRunning(run) ? run.fitness.filter(Number.isFinite) : []),
      ]);
      const expectedBest = direction === 'max' ? Math.max(...values) : Math.min(...values);
      const expectedRow = { id, best: values.length === 0 ? null : expectedBest };
      expect({ id, best }, JSON.stringify(expected.get(id))).toEqual(expectedRow);
    }
    const ids = await listExperimentIds(database(), allExperiments, allExperiments);
    const rows = await listExperiments(database(), ids);
    expect(rows).toHaveLength(samples.length);
    for (const status of experimentStatuses) {
      const filter = experimentsQuery.parse({ status, size: '200' });
      expect(await listExperimentIds(database(), filter, filter)).toEqual(
        rows.filter((row) => row.status === status).map((row) => row.experimentId),
      );
    }
    const runs = samples.flatMap((one) => one.runs);
    expect(await countRunningRuns(database())).toBe(runs.filter(isRunning).length);
    expect(await countRuns(database(), runsQuery.parse({ trials: 'only' }))).toBe(
      runs.filter(({ isTrial }) => isTrial).length,
    );
    const trialSamples = samples.filter(
      (one) => one.runs.length > 0 && one.runs.every(({ isTrial }) => isTrial),
    );
    expect(await countExperiments(database(), experimentsQuery.parse({ trials: 'only' }))).toBe(
      trialSamples.length,
    );
    expect(await countExperiments(database(), experimentsQuery.parse({ trials: 'exclude' }))).toBe(
      samples.length - trialSamples.length,
    );
  });

  test('find a parameter by its value only if the value is not masked', async () => {
    const samples = fc.sample(param, { numRuns: 200, seed: 20_261_122 });
    for (const [index, { param_path, value_text, value_json }] of samples.entries()) {
      const experiment_id = `p${index}`;
      const needle = `needle${index}x`;
      const row = {
        param_path,
        leaf_key: param_path.split('.').at(-1) ?? '',
        value_type: value_json === null ? 'string' : 'json',
        value_text: value_text?.replace('needle', needle) ?? null,
        value_json: value_json?.replace('needle', needle) ?? null,
      };
      await insert(database(), 'experiments', { experiment_id, config_hash: experiment_id });
      await insert(database(), 'experiment_params', { ...row, experiment_id });
      const filter = experimentsQuery.parse({ q: needle });
      const isFound = (await countExperiments(database(), filter)) === 1;
      const maskedRow = maskParam(toParamRow(row));
      const isShown = `${maskedRow.valueText} ${maskedRow.valueJson}`.includes(needle);
      if (isFound) expect(isShown, JSON.stringify(row)).toBe(true);
      const text = row.value_text ?? row.value_json ?? '';
      const isPlain = getSecrecyOfKey(param_path) === 'none' && !canContainSecret(text);
      if (isPlain) expect(isFound, JSON.stringify(row)).toBe(true);
    }
  });
});

const param = fc
  .record({
    param_path: fc.constantFrom('web.user', 'web.apiKey', 'web.api.key', 'db.Tokens[0]', 'a.x=b'),
    value: fc.constantFrom(
      'needle',
      'a needle b',
      'jdbc:x://needle@host/db',
      'jdbc:x://u:needle@host',
      'http://host/?q=needle',
      'http://host/?token=needle',
      'a@b: needle',
    ),
    kind: fc.constantFrom('text', 'json', 'secret json', 'nested json'),
  })
  .map(({ param_path, value, kind }) => ({
    param_path,
    value_text: kind === 'text' ? value : null,
    value_json: getJson(kind, value),
  }));

function getJson(kind: string, value: string): string | null {
  if (kind === 'text') return null;
  if (kind === 'secret json') return JSON.stringify({ password: value });
  return JSON.stringify(kind === 'json' ? [value] : { inner: JSON.stringify({ a: value }) });
}

function toParamRow(row: {
  param_path: string;
  leaf_key: string;
  value_type: string;
  value_text: string | null;
  value_json: string | null;
}): ParamRow {
  return {
    section: 'web',
    paramPath: row.param_path,
    leafKey: row.leaf_key,
    valueType: row.value_type,
    valueText: row.value_text,
    valueNumber: null,
    valueBoolean: null,
    valueJson: row.value_json,
  } as ParamRow;
}

async function insertTrial(database: TestDatabase, run_id: string): Promise<void> {
  await insert(database, 'coco_trials', { run_id, repetition: Number(run_id.replace(/\D/g, '')) });
}

/** Returns the best fitness of each experiment, by which lists sort. */
async function listBestFitness(
  database: TestDatabase,
): Promise<{ id: string; best: number | null }[]> {
  const isRunningRun = await findRareStatusCondition(database, 'RUNNING');
  return database.kysely
    .selectFrom('experiments as e')
    .select(['e.experiment_id as id', selectBestByDirection(database, isRunningRun).as('best')])
    .execute();
}
