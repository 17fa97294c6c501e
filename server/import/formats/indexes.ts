import type { Direction } from '#server/domain/objective.ts';
import type { NoteBook } from '#server/import/notes.ts';
import { baseName, siblingPath } from '#server/import/source/entry.ts';
import { attributeOf, type FlatAttribute, plainText, smallNatural } from './attributes.ts';

/** The runs of an algorithm on a function in a dimension that an index lists for one set of data files. */
export interface Scenario {
  /** The index file and the line, where it has lines. */
  file: string;
  line: number | null;
  algorithm: string;
  /** What the logger says of the algorithm beyond its name. */
  attributes: Readonly<Record<string, FlatAttribute>>;
  /** Null where the index does not say, or says that it does not know. */
  suite: string | null;
  /** Digits or a text. */
  functionId: string;
  functionName: string | null;
  dimension: number;
  /** Null where the index does not say. */
  direction: Direction | null;
  /** The target of COCO's loggers, 1e-8; null where the index has none. */
  precision: number | null;
  /** Path of the data files in the source, without their endings; null where it leads out of the folder. */
  data: string | null;
  /** The last part of that path. */
  dataName: string;
  runs: ListedRun[];
}

/** A run as an index lists it. */
export interface ListedRun {
  instance: number;
  /** Evaluations used, or those until the best, by the logger; 0 where it does not say. */
  evaluations: number;
  isFinalised: boolean;
}

/** An index with 100,000 runs in one line has less; regular expressions fail over far longer lines. */
const longestLine = 4 * 2 ** 20;

/**
 * The scenarios of an `.info` index, of COCO since 2009 or of IOHprofiler until 0.3.2: a header, a comment, and
 * data files with their runs. Data files of one function may have several lines, or several names in one.
 * What is missing, doubled or leads out of the folder is noted.
 */
export function parseInfoIndex(file: string, text: string, notes: NoteBook): Scenario[] {
  const scenarios: Scenario[] = [];
  const seen = new Set<string>();
  let header: InfoHeader | null = null;
  let hasComment = false;
  for (const { line, number } of separateLines(text)) {
    if (line.startsWith('%')) hasComment = true;
    else if (line.length > longestLine)
      notes.add('BAD_INDEX', { file, line: number, detail: 'a line is too long' });
    else if (isHeaderLine(line)) {
      header = parseHeader(line);
      hasComment = false;
    } else if (isLongHeader(line)) {
      header = null;
      notes.add('BAD_INDEX', { file, line: number, detail: 'a header is too long' });
    } else if (namesDataFile(line)) {
      const listed = header && listedFiles(header, { file, line: number, text: line }, notes);
      if (!listed) notes.add('BAD_INDEX', { file, line: number });
      else if (seen.has(keyOf(header, line))) notes.add('DUPLICATE_ENTRY', { file, line: number });
      else for (const scenario of listed) scenarios.push(scenario);
      if (!hasComment) notes.add('NO_COMMENT_LINE', { file, line: number });
      seen.add(keyOf(header, line));
    }
  }
  return scenarios;
}

function keyOf(header: InfoHeader | null, line: string): string {
  return JSON.stringify([[...(header ?? [])], line]);
}

/** The lines with their numbers; a header that follows runs without an end of line begins a new line. */
function separateLines(text: string): { line: string; number: number }[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length > longestLine) return [{ line, number: index + 1 }];
    const isOwn = line.startsWith('%') || isHeaderLine(line);
    const parts = isOwn ? [line] : line.split(/(?=\b(?:suite|funcId|algorithm)\s*=)/);
    const joined = parts.length > 1 && namesDataFile(parts[0] ?? '') ? gluedParts(parts) : [line];
    return joined
      .filter((part) => part.trim() !== '')
      .map((part) => ({ line: part, number: index + 1 }));
  });
}

/** The runs, and everything behind them as one header. */
function gluedParts([runs = '', ...header]: readonly string[]): string[] {
  return [runs, header.join('')];
}

interface DataLine {
  file: string;
  line: number;
  text: string;
}

/** The data files that a line lists; null where the header or the line lacks what runs need. */
function listedFiles(header: InfoHeader, at: DataLine, notes: NoteBook): Scenario[] | null {
  const own = parseHeader(
    at.text
      .split(',')
      .filter((part) => part.includes('='))
      .join(','),
  );
  const merged: InfoHeader = new Map([...header, ...own]);
  const files = filesOf(at.text);
  const scenarios = files.flatMap(({ name, runs }) => {
    const data = pathOf(merged, at, name);
    if (data === null) notes.add('PATH_REFUSED', { file: at.file, line: at.line, detail: name });
    return scenarioOf(merged, at, { name, data, runs }) ?? [];
  });
  return scenarios.length < files.length ? null : scenarios;
}

function pathOf(header: InfoHeader, { file }: DataLine, name: string): string | null {
  const folder = header.get('folder');
  const path = siblingPath(file, folder === undefined ? name : `${folder}/${name}`);
  return path && withoutEnding(path);
}

/** The path of a data file without its ending, which all files of one function share. */
export function withoutEnding(path: string): string {
  return path.replace(/\.[a-z]*dat$/i, '');
}

/** The last part of the path that an index has for a data file, without its ending. */
export function dataNameOf(path: string): string {
  return baseName(withoutEnding(path.replaceAll('\\', '/')));
}

function scenarioOf(
  header: InfoHeader,
  { file, line }: DataLine,
  { name, data, runs }: { name: string; data: string | null; runs: ListedRun[] },
): Scenario | null {
  const functionId = header.get('funcid') ?? header.get('function');
  const dimension = dimensionOf(header, name);
  const algorithm = header.get('algid') ?? header.get('algorithm');
  if (functionId === undefined || functionId === '' || dimension === null) return null;
  return {
    file,
    line,
    algorithm: algorithm || 'unknown',
    attributes: attributesOf(header),
    suite: header.get('suite') ?? null,
    functionId,
    functionName: header.get('funcname') ?? null,
    dimension,
    direction: directionOf(header.get('maximization')),
    precision: Number(header.get('precision')) || null,
    data,
    dataName: dataNameOf(name),
    runs,
  };
}

/** The file's own name wins where it states a dimension: one version lists all files under the first one. */
function dimensionOf(header: InfoHeader, name: string): number | null {
  const [, inName] = /_DIM(\d+)/i.exec(name) ?? [];
  return smallNatural(Number(inName ?? header.get('dim'))) || null;
}

function directionOf(maximization: string | undefined): Direction | null {
  if (maximization === undefined || maximization === '') return null;
  return /^t/i.test(maximization) ? 'max' : 'min';
}

/** The data files of a line, each with the runs behind it. */
function filesOf(text: string): { name: string; runs: ListedRun[] }[] {
  const files: { name: string; runs: ListedRun[] }[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (/\.[a-z]*dat$/i.test(part)) files.push({ name: part, runs: [] });
    else {
      const run = listedRun(part);
      if (run) files.at(-1)?.runs.push(run);
    }
  }
  return files;
}

/** A count as an index prints it; 0 for none, and for one beyond what a database holds. */
function countIn(digits = ''): number {
  const count = Number(digits);
  return count < 2 ** 63 ? count : 0;
}

/** `instance:evaluations|value`; without the value the logger has not come to the end of the run. */
function listedRun(text: string): ListedRun | null {
  const [, instance, evaluations, value] = /^(\d+)(?::(\d*)(\|\S*)?)?/.exec(text) ?? [];
  if (instance === undefined) return null;
  const isFinalised = value !== undefined;
  return {
    instance: smallNatural(Number(instance)) ?? 0,
    evaluations: isFinalised ? countIn(evaluations) : 0,
    isFinalised,
  };
}

/** The keys and texts of a header line of an index, keys in lower case. */
export type InfoHeader = ReadonlyMap<string, string>;

/** Keys that say where and how was measured, and not what the algorithm is. */
const describedKeys = new Set([
  'suite',
  'funcid',
  'funcname',
  'function',
  'dim',
  'precision',
  'algid',
  'algorithm',
  'alginfo',
  'indicator',
  'folder',
  'maximization',
  'dynamicattribute',
  'coco_version',
  'logger',
  'data_format',
  'settings',
]);

/** A longer header is none: it would take a time that grows with the square of its length to read. */
const longestHeader = 65_536;

const assignment = /(?<![\w.])([\w.]+)\s*=\s*(?:'((?:[^']|'(?!\s*(?:,|$)))*)'|"([^"]*)"|([^,]*))/g;

/** Whether a line of an index is a header: it assigns something and names no data file. Longer lines are none. */
export function isHeaderLine(line: string): boolean {
  return line.length <= longestHeader && /^\s*[\w.]+\s*=/.test(line) && !namesDataFile(line);
}

/** Whether a line begins as a header does and is too long for one. */
export function isLongHeader(line: string): boolean {
  return line.length > longestHeader && /^\s*[\w.]+\s*=/.test(line) && !namesDataFile(line);
}

/** Whether a line of an index lists runs of a data file. */
export function namesDataFile(line: string): boolean {
  return /\.[a-z]*dat\s*(,|$)/i.test(line);
}

/** Reads the assignments of the first 65,536 characters of a line: `key = 'text'`, `"text"` or bare; a quote ends before a comma only. */
export function parseHeader(line: string): InfoHeader {
  const pairs = [...line.slice(0, longestHeader).matchAll(assignment)].map(
    ([, key = '', single, double, bare = '']) => {
      return [key.toLowerCase(), plainText(single ?? double ?? bare)] as const;
    },
  );
  return new Map(pairs);
}

/** What a header says of the algorithm beyond its name: `info`, and keys of the experiment's own. */
export function attributesOf(header: InfoHeader): Record<string, FlatAttribute> {
  const own = [...header].filter(([key]) => !describedKeys.has(key));
  const info = header.get('alginfo');
  return Object.fromEntries([
    ...(info === undefined || info === '' || info === '_' ? [] : [['info', info] as const]),
    ...own.map(([key, text]) => [key, attributeOf(text)] as const),
  ]);
}

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
  return listOf(scenarios).flatMap((scenario) => jsonScenario(index, scenario, file, notes) ?? []);

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

function jsonScenario(
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
    attributes: jsonAttributes(index),
    suite: textOf(index['suite']),
    functionId: plainText(String(id)),
    functionName: textOf(index['function_name']),
    dimension,
    direction: jsonDirection(index['maximization']),
    precision: null,
    data: data && withoutEnding(data),
    dataName: dataNameOf(path),
    runs: runs.map(listedJsonRun),
  };
}

function isSize(value: unknown): value is number {
  return (smallNatural(value) ?? 0) > 0;
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? plainText(value) : '';
  return text === '' ? null : text;
}

function jsonDirection(maximization: unknown): Direction | null {
  if (typeof maximization !== 'boolean') return null;
  return maximization ? 'max' : 'min';
}

/** `info` of the algorithm, and the attributes of the experiment. */
function jsonAttributes(index: JsonObject): Record<string, FlatAttribute> {
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
function listedJsonRun(value: unknown): ListedRun {
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
