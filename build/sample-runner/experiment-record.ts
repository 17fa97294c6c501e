import { configYaml } from './config-yaml.ts';
import { type ConfiguredDatabase, configHash, createConfig } from './config.ts';
import { type FlatParam, flattenConfig } from './flatten.ts';
import { javaJson } from './java-json.ts';
import type { ExperimentPlan } from './plan.ts';

/** An experiment as the tables `experiments` and `experiment_params` hold it, but for its first time. */
export interface ExperimentRecord {
  experimentId: string;
  columns: ExperimentColumns;
  params: FlatParam[];
}

interface ExperimentColumns {
  schema_version: string;
  run_name: string;
  algorithm_type: string;
  model_type: string;
  problem_type: string;
  representation_type: string;
  selection_type: string;
  replacement_type: string;
  stopping_type: string;
  max_iterations: number;
  config_yaml: string;
  config_json: string;
}

/** The rows of an experiment. Its id is the hash of its configuration. */
export function createExperimentRecord(
  plan: ExperimentPlan,
  database: ConfiguredDatabase,
): ExperimentRecord {
  const config = createConfig(plan, database);
  const params = flattenConfig(config);
  const text = (path: string) => textParam(params, path);
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
      max_iterations: plan.stopping.maxIterations,
      config_yaml: configYaml(config),
      config_json: javaJson(config),
    },
  };
}

function textParam(params: readonly FlatParam[], path: string): string {
  const text = params.find(({ param_path }) => param_path === path)?.value_text;
  if (text === null || text === undefined) throw new Error(`The configuration has no ${path}`);
  return text;
}
