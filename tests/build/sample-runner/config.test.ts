import { describe, expect, test } from 'vitest';
import { configYaml } from '#build/sample-runner/config-yaml.ts';
import { configHash, createConfig } from '#build/sample-runner/config.ts';
import { sampleExperiments } from '#build/sample-runner/experiments.ts';
import { flattenConfig } from '#build/sample-runner/flatten.ts';
import { javaJson } from '#build/sample-runner/java-json.ts';
import { differencesOfShape, parseJavaJson, runnerRows } from './runner-sample.ts';

const database = { url: 'jdbc:sqlite:sample.db', user: 'runner', password: 'not-a-secret' };

describe('experiments of the runner', () => {
  const experiments = runnerRows('select * from experiments');

  test('have the hash of their stored configuration as their id', () => {
    for (const { config_json, experiment_id } of experiments) {
      expect(configHash(parseJavaJson(config_json))).toBe(experiment_id);
    }
    expect(experiments).toHaveLength(67);
  });

  test('are written as the same JSON and the same YAML', () => {
    for (const { config_json, config_yaml } of experiments) {
      expect(javaJson(parseJavaJson(config_json))).toBe(config_json);
      expect(configYaml(parseJavaJson(config_json))).toBe(config_yaml);
    }
  });

  test('are flattened into the same parameters in the same order', () => {
    for (const { config_json, experiment_id } of experiments) {
      const params = runnerRows(
        `select section, param_path, leaf_key, value_type, value_text, value_number, value_boolean,
           value_json from experiment_params where experiment_id = ? order by id`,
        String(experiment_id),
      );
      expect(flattenConfig(parseJavaJson(config_json))).toEqual(params);
    }
  });
});

describe('the configuration of the sample', () => {
  const configOf = (key: string) =>
    createConfig(
      sampleExperiments.find((plan) => plan.key === key)!,
      database,
    );

  test.each([
    ['onemax30-adaptive', 'adaptive30-pbil'],
    ['onemax40-umda', 'onemax40-umda-r01'],
    ['sphere5-gauss', 'sphere5-gauss-r01'],
    ['onemax60-stopped', 'ckpt-umda'],
  ])('%s has the keys of the runner, in its order, with values of the same kinds', (key, runId) => {
    const [real] = runnerRows(
      'select config_json from experiments join runs using (experiment_id) where run_id = ?',
      runId,
    );
    const own = parseJavaJson(javaJson(configOf(key)));
    expect(differencesOfShape(own, parseJavaJson(real!['config_json']))).toEqual([]);
  });

  test('has an identity that does not depend on the order of its keys', () => {
    const config = configOf('onemax40-umda');
    const reversed = Object.fromEntries(Object.entries(config).toReversed());
    expect(configHash(reversed)).toBe(configHash(config));
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
