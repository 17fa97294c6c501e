import { double, type JavaObject, type JavaValue, sortKeys } from '../recording/java-json.ts';
import type { FlatAttribute } from './formats/attributes.ts';
import { type RunGroup, goesOn } from './run-groups.ts';
import { unknownSuite } from './suites.ts';

/**
 * The configuration of an imported experiment, keys sorted. Its sections `problem` and `representation` say the
 * problem instance, so that they are equal for equal problems of any logger; `import` says where it came from. The budget
 * is stated where the data do not state it.
 */
export function configOf(
  dataSet: string,
  group: RunGroup,
  functionNumber: number,
  budget?: number,
): JavaObject {
  const config = {
    algorithm: { params: valuesOf(group.attributes), type: group.algorithm },
    import: {
      dataset: dataSet,
      format: group.format,
      ...(group.precision !== null && { precision: double(group.precision) }),
    },
    model: none,
    problem: { params: problemParams(group, functionNumber), type: problemType(group) },
    replacement: none,
    representation: {
      params: group.dimension === null ? {} : { length: group.dimension },
      type: representationType(group.suite),
    },
    run: { name: nameOf(dataSet, group) },
    schema: '3.0',
    selection: none,
    stopping: {
      type: 'imported',
      ...(budget !== undefined && !statesBudget(group) && { maxEvaluations: budget }),
      ...(group.precision !== null && { targetFitness: double(group.precision) }),
    },
  };
  return sortKeys(config) as JavaObject;
}

/**
 * Whether the data of a group state how many evaluations its runs used: some run went on after its last improvement. Loggers
 * that write improvements only end each run with one.
 */
export function statesBudget({ runs }: Pick<RunGroup, 'runs'>): boolean {
  return runs.some(({ trace }) => goesOn(trace));
}

const none = { type: 'none' };

/** `DIRECT bbob f1 d2`, with the name of the data set where they name no known suite. */
function nameOf(dataSet: string, { algorithm, suite, functionId, dimension }: RunGroup): string {
  const place = suite === unknownSuite ? dataSet : suite;
  const parts = [algorithm, place, functionTitle(functionId)];
  return [...parts, dimension === null ? null : `d${dimension}`].filter(Boolean).join(' ');
}

/** `f8` of a number; a name is one. */
function functionTitle(functionId: string): string {
  return /^\d+$/.test(functionId) ? `f${functionId}` : functionId;
}

function problemParams(group: RunGroup, functionNumber: number): JavaObject {
  const { suite, functionName, dimension, direction, problemAttributes } = group;
  return {
    ...valuesOf(problemAttributes),
    ...(dimension !== null && { dimension }),
    direction,
    functionId: functionNumber,
    functionName: functionName ?? group.functionId,
    ...(suite !== null && { suite }),
  };
}

/** By the suite; without a suite each function is a separate type. */
function problemType({ format, suite, functionName, functionId }: RunGroup): string {
  if (suite === 'PBO') return 'ioh-pbo';
  if (suite?.startsWith('bbob')) return `coco-${suite}`;
  return format === 'table' ? (functionName ?? functionTitle(functionId)) : 'ioh-problem';
}

function representationType(suite: string | null): string {
  if (suite === 'PBO') return 'bitstring';
  if (suite === 'bbob-mixint') return 'mixed-vector';
  return suite?.startsWith('bbob') ? 'real-vector' : 'unknown';
}

/** Attributes as the values of a configuration: whole numbers as integers, others as doubles. */
function valuesOf(attributes: Readonly<Record<string, FlatAttribute>>): JavaObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, JavaValue] => [
      name,
      typeof value === 'number' && !Number.isSafeInteger(value) ? double(value) : value,
    ]),
  );
}
