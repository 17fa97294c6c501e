import { describe, expect, test } from 'vitest';
import { createExperimentRecord } from '#server/recording/recorder.ts';
import { parseJavaJson, readRunnerRows } from '#tests/support/runner-sample.ts';

describe('experiments of the runner', () => {
  const experiments = readRunnerRows('select * from experiments');

  test('have the hash of their stored configuration as their id', () => {
    for (const { config_json, experiment_id } of experiments) {
      const record = createExperimentRecord(parseJavaJson(config_json));
      expect(record.experimentId).toBe(experiment_id);
    }
    expect(experiments).toHaveLength(67);
  });

  test('are written with the same columns, JSON and YAML, byte for byte', () => {
    for (const {
      experiment_id: _id,
      config_hash: _hash,
      created_at: _at,
      ...columns
    } of experiments) {
      const record = createExperimentRecord(parseJavaJson(columns['config_json']));
      expect(record.columns).toEqual(columns);
    }
  });

  test('are flattened into the same parameters in the same order', () => {
    for (const { config_json, experiment_id } of experiments) {
      const params = readRunnerRows(
        `select section, param_path, leaf_key, value_type, value_text, value_number, value_boolean,
           value_json from experiment_params where experiment_id = ? order by id`,
        String(experiment_id),
      );
      expect(createExperimentRecord(parseJavaJson(config_json)).params).toEqual(params);
    }
  });
});

describe('the id of an experiment', () => {
  const [storedRow] = readRunnerRows('select config_json, experiment_id from experiments limit 1');
  const config = parseJavaJson(storedRow!['config_json']);

  test('does not depend on the order of the keys', () => {
    const reversedConfig = Object.fromEntries(Object.entries(config).toReversed());
    expect(createExperimentRecord(reversedConfig).experimentId).toBe(storedRow!['experiment_id']);
  });
});

test('a configuration without a required text is refused with its path', () => {
  expect(() => createExperimentRecord({ schema: '3.0' })).toThrow(
    'The configuration has no run.name',
  );
});
