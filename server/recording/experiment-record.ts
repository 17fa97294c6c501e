import { createHash } from 'node:crypto';
import type { Tables } from '#server/db/schema.ts';
import { configYaml } from './config-yaml.ts';
import { type FlatParam, flattenConfig } from './flatten.ts';
import { javaJson, type JavaObject, sortKeys } from './java-json.ts';

/** An experiment as the tables `experiments` and `experiment_params` hold it, but for its first time. */
export interface ExperimentRecord {
  experimentId: string;
  columns: ExperimentColumns;
  params: FlatParam[];
}

type ExperimentColumns = Omit<
  Tables['experiments'],
  'experiment_id' | 'config_hash' | 'created_at'
>;

/**
 * The rows of the experiment with this configuration, whose keys are sorted. Its id is the hash of the
 * configuration. Throws when the configuration lacks a text that a column needs, such as `algorithm.type`.
 */
export function createExperimentRecord(config: JavaObject): ExperimentRecord {
  const params = flattenConfig(config);
  const text = (path: string) => textParam(params, path);
  const maxIterations = params.find(({ param_path }) => param_path === 'stopping.maxIterations');
  return {
    experimentId: configHash(config),
    params,
    columns: {
      schema_version: text('schema'),
      run_name: text('run.name'),
      algorithm_type: text('algorithm.type'),
      model_type: text('model.type'),
      problem_type: text('problem.type'),
      representation_type: text('representation.type'),
      selection_type: text('selection.type'),
      replacement_type: text('replacement.type'),
      stopping_type: text('stopping.type'),
      max_iterations: maxIterations?.value_number ?? null,
      config_yaml: configYaml(config),
      config_json: javaJson(config),
    },
  };
}

/** Identity of a configuration: lower-case hexadecimal SHA-256 of its compact JSON with sorted keys. */
export function configHash(config: JavaObject): string {
  return createHash('sha256')
    .update(javaJson(sortKeys(config)))
    .digest('hex');
}

function textParam(params: readonly FlatParam[], path: string): string {
  const text = params.find(({ param_path }) => param_path === path)?.value_text;
  if (text === null || text === undefined) throw new Error(`The configuration has no ${path}`);
  return text;
}
