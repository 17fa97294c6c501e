import { describe, expect, test } from 'vitest';
import {
  createExperimentRecord,
  flattenConfig,
  formatJavaJson,
} from '#server/recording/recorder.ts';
import { createConfig } from '#server/sample/config.ts';
import { sampleExperiments } from '#server/sample/experiments.ts';
import {
  findShapeDifferences,
  parseJavaJson,
  readRunnerRows,
} from '#tests/support/runner-sample.ts';

const database = { url: 'jdbc:sqlite:sample.db', user: 'runner', password: 'not-a-secret' };

describe('createConfig', () => {
  const getConfig = (key: string) =>
    createConfig(
      sampleExperiments.find((plan) => plan.key === key)!,
      database,
    );

  test.each([
    ['onemax30-adaptive', 'adaptive30-pbil'],
    ['onemax40-umda', 'onemax40-umda-r01'],
    ['sphere5-gauss', 'sphere5-gauss-r01'],
    ['onemax60-stopped', 'ckpt-umda'],
  ])(
    'returns for %s the keys of the runner, in its order, with values of the same types',
    (key, runId) => {
      const [realRow] = readRunnerRows(
        'select config_json from experiments join runs using (experiment_id) where run_id = ?',
        runId,
      );
      const sampleConfig = parseJavaJson(formatJavaJson(getConfig(key)));
      expect(findShapeDifferences(sampleConfig, parseJavaJson(realRow!['config_json']))).toEqual(
        [],
      );
    },
  );

  test('returns coordinates that become one parameter per element', () => {
    const rows = flattenConfig(getConfig('ring16-ehm'));
    const row = rows.find(({ param_path }) => param_path === 'problem.coordinates[1][0]');
    expect(row).toMatchObject({ section: 'problem', leaf_key: '0', value_type: 'number' });
    expect(row?.value_number).toBeCloseTo(Math.cos(Math.PI / 8), 12);
  });

  test('returns configurations with different ids for all experiments', () => {
    const ids = sampleExperiments.map(
      ({ key }) => createExperimentRecord(getConfig(key)).experimentId,
    );
    expect(new Set(ids).size).toBe(sampleExperiments.length);
  });
});
