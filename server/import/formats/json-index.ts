import type { Direction } from '#server/domain/objective.ts';
import type { NoteBook } from '../notes.ts';
import { baseName, siblingPath } from '#server/import/source/entry.ts';
import { attributeOf, type FlatAttribute, plainText, smallNatural } from './attributes.ts';
import { dataNameOf, withoutEnding } from './info-index.ts';
import type { ListedRun, Scenario } from './scenario.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the scenarios of a JSON index of IOHprofiler since 0.3.3, one for each dimension. Null if the file is JSON of
 * another kind; a file that only has the name of an index is noted as BAD_JSON, and so are values of wrong types in it.
 */
export function parseJsonIndex(file: string, text: string, notes: NoteBook): Scenario[] | null {
  const isNamedIndex = baseName(file).startsWith('IOHprofiler');
  const index = parse(text);
  if (index === null || !('scenarios' in index)) {
    if (isNamedIndex) notes.add('BAD_JSON', { file });
    return isNamedIndex ? [] : null;
  }
  const { scenarios } = index;
  if (!isNamedIndex && !Array.isArray(scenarios)) return null;
  noteFurtherObjectives(index, file, notes);
  return listOf(scenarios).flatMap((scenario) => scenarioOf(index, scenario, file, notes) ?? []);

  function listOf(value: unknown): unknown[] {
    if (!Array.isArray(value)) notes.add('BAD_JSON', { file });
    return Array.isArray(value) ? value : [];
  }
}

function parse(text: string): JsonObject | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function objectOf(value: unknown): JsonObject | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : null;
}

function noteFurtherObjectives({ attributes }: JsonObject, file: string, notes: NoteBook): void {
  const listed: unknown[] = Array.isArray(attributes) ? attributes : [];
  const names = listed.filter((name) => typeof name === 'string');
  const further = names.filter((name) => /^(f|y|raw_y)_?\d+$/i.test(name));
  if (further.length > 0) notes.add('ONE_OBJECTIVE', { file, detail: further.join(', ') });
}

function scenarioOf(
  index: JsonObject,
  value: unknown,
  file: string,
  notes: NoteBook,
): Scenario | null {
  const { dimension, path, runs } = objectOf(value) ?? {};
  const id = index['function_id'];
  const algorithm = objectOf(index['algorithm']);
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  if (!hasId || !isSize(dimension) || typeof path !== 'string' || !Array.isArray(runs)) {
    notes.add('BAD_JSON', { file });
    return null;
  }
  const data = siblingPath(file, path);
  if (data === null) notes.add('PATH_REFUSED', { file, detail: path });
  return {
    file,
    line: null,
    algorithm: textOf(algorithm?.['name']) ?? 'unknown',
    attributes: attributesOf(index),
    suite: textOf(index['suite']),
    functionId: plainText(String(id)),
    functionName: textOf(index['function_name']),
    dimension,
    direction: directionOf(index['maximization']),
    precision: null,
    data: data && withoutEnding(data),
    dataName: dataNameOf(path),
    runs: runs.map(listedRun),
  };
}

function isSize(value: unknown): value is number {
  return (smallNatural(value) ?? 0) > 0;
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? plainText(value) : '';
  return text === '' ? null : text;
}

function directionOf(maximization: unknown): Direction | null {
  if (typeof maximization !== 'boolean') return null;
  return maximization ? 'max' : 'min';
}

/** `info` of the algorithm, and the attributes of the experiment. */
function attributesOf(index: JsonObject): Record<string, FlatAttribute> {
  const info = textOf(objectOf(index['algorithm'])?.['info']);
  const listed = index['experiment_attributes'];
  const own = (Array.isArray(listed) ? listed : []).flatMap((item) =>
    Object.entries(objectOf(item) ?? {}),
  );
  return Object.fromEntries([
    ...(info === null ? [] : [['info', info] as const]),
    ...own.flatMap(([name, value]) => {
      const text = shortText(value);
      return text === null ? [] : [[plainText(name), attributeOf(text)] as const];
    }),
  ]);
}

/** A value, or a list of values, as text; null for what is nested deeper, which no logger writes. */
function shortText(value: unknown): string | null {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  const isFlat = parts.every((part) => part === null || typeof part !== 'object');
  return isFlat ? parts.map(String).join(',') : null;
}

/** `evals` is 0 where the logger did not count; then the evaluation of the best one is the least there were. */
function listedRun(value: unknown): ListedRun {
  const { instance, evals, best } = objectOf(value) ?? {};
  return {
    instance: smallNatural(instance) ?? 0,
    evaluations: Math.max(countOf(evals), countOf(objectOf(best)?.['evals'])),
    isFinalised: true,
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
