import { describe, expect, test } from 'vitest';
import { configYaml } from '#build/sample-runner/config-yaml.ts';
import { configHash, createConfig } from '#build/sample-runner/config.ts';
import { sampleExperiments } from '#build/sample-runner/experiments.ts';
import { flattenConfig } from '#build/sample-runner/flatten.ts';
import { javaJson, type JavaObject } from '#build/sample-runner/java-json.ts';
import { parseJavaJson, runnerRows } from './runner-rows.ts';

const database = { url: 'jdbc:sqlite:sample.db', user: 'runner', password: 'not-a-secret' };

describe.each(runnerRows.experiments)('experiment $run_name of the runner', (experiment) => {
  const config = parseJavaJson(experiment.config_json);

  test('has the hash of its stored configuration as its id', () => {
    expect(configHash(config)).toBe(experiment.experiment_id);
  });

  test('is written as the same YAML', () => {
    expect(configYaml(config)).toBe(experiment.config_yaml);
  });

  test('is flattened into the same parameters in the same order', () => {
    expect(flattenConfig(config)).toEqual(experiment.params);
  });
});

describe('the configuration of the sample', () => {
  const configOf = (key: string) => {
    const plan = sampleExperiments.find((candidate) => candidate.key === key)!;
    return createConfig(plan, database);
  };

  test.each([
    ['onemax30-adaptive', 0],
    ['sphere5-gauss', 1],
    ['ring16-ehm', 2],
  ])('%s has the keys of the runner, with values of the same kinds', (key, index) => {
    const own = shapeOf(configOf(key));
    const real = shapeOf(parseJavaJson(runnerRows.experiments[index]!.config_json));
    delete own['problem.params.coordinates'];
    expect(own).toEqual(real);
  });

  test('has sorted keys, so that its JSON is canonical', () => {
    const config = configOf('onemax40-umda');
    const parsed = JSON.parse(javaJson(config)) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(Object.keys(parsed).toSorted());
    expect(configHash(config)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('flattens coordinates element by element', () => {
    const rows = flattenConfig(configOf('ring16-ehm'));
    const row = rows.find(({ param_path }) => param_path === 'problem.coordinates[1][0]');
    expect(row).toMatchObject({ section: 'problem', leaf_key: '0', value_type: 'number' });
    expect(row?.value_number).toBeCloseTo(Math.cos(Math.PI / 8), 12);
  });

  test('differs in its hash when any setting differs', () => {
    const hashes = sampleExperiments.map(({ key }) => configHash(configOf(key)));
    expect(new Set(hashes).size).toBe(sampleExperiments.length);
  });
});

/** Kind of value by path; null counts as a number, since the budgets of the runner may be either. */
function shapeOf(config: JavaObject): Record<string, string> {
  const rows = flattenConfig({ root: config });
  const simple = rows.filter(({ param_path }) => !param_path.includes('['));
  return Object.fromEntries(
    simple.map(({ param_path, value_type }) => [
      param_path.replace(/^root\.?/, ''),
      value_type === 'null' ? 'number' : value_type,
    ]),
  );
}
