import type { Tables } from '#server/db/schema.ts';
import { Document, type ScalarTag } from 'yaml';
import { flattenedSections } from '#server/domain/config.ts';
import { createHash } from 'node:crypto';
import {
  formatJavaJson,
  type JavaObject,
  sortKeys,
  isJavaArray,
  isJavaObject,
  JavaNumber,
  type JavaValue,
} from './java-json.ts';

/** The rows of an experiment in the tables `experiments` and `experiment_params`, without their time. */
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
 * Returns the rows of the experiment with a configuration, whose keys must be sorted. The id is the hash of the
 * configuration. Throws if the configuration has no text for a required column, such as `algorithm.type`.
 */
export function createExperimentRecord(config: JavaObject): ExperimentRecord {
  const params = flattenConfig(config);
  const getTextParam = (path: string) => readTextParam(params, path);
  const maxIterationsParam = params.find(
    ({ param_path }) => param_path === 'stopping.maxIterations',
  );
  const maxIterations = maxIterationsParam?.value_number ?? NaN;
  return {
    experimentId: hashConfig(config),
    params,
    columns: {
      schema_version: getTextParam('schema'),
      run_name: getTextParam('run.name'),
      algorithm_type: getTextParam('algorithm.type'),
      model_type: getTextParam('model.type'),
      problem_type: getTextParam('problem.type'),
      representation_type: getTextParam('representation.type'),
      selection_type: getTextParam('selection.type'),
      replacement_type: getTextParam('replacement.type'),
      stopping_type: getTextParam('stopping.type'),
      // PostgreSQL accepts only integers of 32 bits. The parameters contain all other numbers.
      max_iterations: (maxIterations | 0) === maxIterations ? maxIterations : null,
      config_yaml: formatConfigYaml(config),
      config_json: formatJavaJson(config),
    },
  };
}

/** Returns the id of a configuration: lower-case hexadecimal SHA-256 of its compact JSON with sorted keys. */
export function hashConfig(config: JavaObject): string {
  return createHash('sha256')
    .update(formatJavaJson(sortKeys(config)))
    .digest('hex');
}

function readTextParam(params: readonly FlatParam[], path: string): string {
  const text = params.find(({ param_path }) => param_path === path)?.value_text;
  if (text === null || text === undefined) throw new Error(`The configuration has no ${path}`);
  return text;
}

/** A parameter of an experiment as a row of `experiment_params`. */
export interface FlatParam {
  section: string;
  param_path: string;
  leaf_key: string;
  value_type: 'string' | 'number' | 'boolean' | 'null' | 'json';
  value_text: string | null;
  value_number: number | null;
  value_boolean: number | null;
  value_json: string | null;
}

/**
 * Returns a row for each object, array and scalar of a configuration, ordered by section and path. Paths separate keys
 * by dots, and elements of arrays are `[i]`. The members of `params` of {@link flattenedSections} are members of the
 * section; if both have the same key, the value of the section is used.
 */
export function flattenConfig(config: JavaObject): FlatParam[] {
  const rows = Object.entries(config).flatMap(([section, value]) =>
    flattenValue({ section, path: section, key: section }, value),
  );
  return rows.sort(
    (a, b) => compareTexts(a.section, b.section) || compareTexts(a.param_path, b.param_path),
  );
}

interface Position {
  section: string;
  path: string;
  key: string;
}

function flattenValue(position: Position, value: JavaValue): FlatParam[] {
  const children = getChildren(position, value);
  return [
    makeRow(position, value),
    ...children.flatMap(([child, item]) => flattenValue(child, item)),
  ];
}

function getChildren({ section, path }: Position, value: JavaValue): [Position, JavaValue][] {
  if (isJavaArray(value)) {
    return value.map((item, i) => [{ section, path: `${path}[${i}]`, key: String(i) }, item]);
  }
  if (!isJavaObject(value)) return [];
  return getMembers(value, path === section && flattenedSections.has(section)).map(
    ([key, item]) => [{ section, path: `${path}.${key}`, key }, item],
  );
}

function getMembers(value: JavaObject, isFlattened: boolean): [string, JavaValue][] {
  const { params, ...ownMembers } = value;
  if (!isFlattened || params === undefined || !isJavaObject(params)) return Object.entries(value);
  return Object.entries({ ...params, ...ownMembers });
}

function makeRow({ section, path, key }: Position, value: JavaValue): FlatParam {
  const row = { section, param_path: path, leaf_key: key, ...noValue };
  if (value === null) return { ...row, value_type: 'null' };
  if (typeof value === 'string') return { ...row, value_type: 'string', value_text: value };
  if (typeof value === 'boolean') {
    return {
      ...row,
      value_type: 'boolean',
      value_text: String(value),
      value_boolean: Number(value),
    };
  }
  if (isJavaArray(value) || isJavaObject(value)) {
    return { ...row, value_type: 'json', value_json: formatJavaJson(value) };
  }
  const text = value instanceof JavaNumber ? value.text : String(value);
  return { ...row, value_type: 'number', value_text: text, value_number: Number(text) };
}

const noValue = { value_text: null, value_number: null, value_boolean: null, value_json: null };

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Tag that prints the numbers of a configuration with the same digits as in its JSON. */
const javaNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof JavaNumber,
  resolve: (text) => new JavaNumber(text),
  stringify: ({ value }) => (value instanceof JavaNumber ? value.text : String(value)),
};

/** Returns a configuration as YAML in the layout of the runner: texts are quoted, sequences are not indented. */
export function formatConfigYaml(config: JavaObject): string {
  const document = new Document(config, { customTags: (tags) => [javaNumberTag, ...tags] });
  const text = document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    indentSeq: false,
    lineWidth: 0,
  });
  return `---\n${text}`;
}
