import type { Direction } from '#server/domain/objective.ts';
import type { NoteBook } from '#server/import/notes.ts';
import { getBaseName, resolveSibling } from '#server/import/source/entry.ts';
import { parseDecimal, getTextStart } from '#shared/syntax.ts';

/**
 * The runs of an algorithm on a function in a dimension in one set of data files, as an index lists them. It has
 * no runs if no index lists the files yet; see `guessScenarios`.
 */
export interface Scenario {
  /** Path of the index; path of a data file if no index lists it. */
  file: string;
  /** Line in an `.info` index, from 1; null for other indexes and without an index. */
  line: number | null;
  algorithm: string;
  /** Further properties of the algorithm. */
  attributes: Readonly<Record<string, FlatAttribute>>;
  /** Name of the suite; null or empty if the data state none. */
  suite: string | null;
  /** Id of the function: digits or other text. */
  functionId: string;
  functionName: string | null;
  dimension: number;
  /** Direction of the objective; null if unknown. */
  direction: Direction | null;
  /** Target precision, 1e-8 in COCO's loggers; null if the index states no number or 0. */
  precision: number | null;
  /** Path of the data files in the source, without their extensions; null if {@link resolveSibling} returns null. */
  data: string | null;
  /** Last part of the path of the data files, without their extensions, also if `data` is null. */
  dataName: string;
  runs: ListedRun[];
  /** Whether the index lists the same runs in an earlier line under an equal header. */
  isRepeated?: boolean;
}

/** The entry of a run in an index. */
export interface ListedRun {
  instance: number;
  /**
   * Number of used evaluations or, for some loggers, of evaluations until the best value. It is 0 if the index states
   * no valid number, and in `.info` indexes for runs that are not finalised.
   */
  evaluations: number;
  isFinalised: boolean;
  /** The best row of the run. Only JSON indexes state it; absent if its value is not a number. */
  best?: { evaluations: number; value: number };
}

/**
 * Maximum length of a line in UTF-16 code units: enough for 100,000 runs, and short enough for regular expressions.
 */
const maximumLineLength = 4 * 2 ** 20;

/**
 * Returns the scenarios of an `.info` index of COCO since 2009 or of IOHprofiler until 0.3.2. An index consists of
 * headers, comments and lines that list data files with their runs. A function may have several lines, and a line may
 * list several data files. Skips lines without required fields, and lines and headers that are too long, with notes.
 * Sets `isRepeated` for a line that repeats an earlier line under an equal header. Also adds notes about missing
 * comments and refused paths.
 */
export function parseInfoIndex(file: string, text: string, notes: NoteBook): Scenario[] {
  const scenarios: Scenario[] = [];
  const keys = new Set<string>();
  let header: InfoHeader | null = null;
  let hasComment = false;
  for (const { line, number } of separateLines(text)) {
    if (line.startsWith('%')) hasComment = true;
    else if (line.length > maximumLineLength)
      notes.add('BAD_INDEX', { file, line: number, detail: 'a line is too long' });
    else if (isHeaderLine(line)) {
      header = parseHeader(line);
      hasComment = false;
    } else if (isLongHeader(line)) {
      header = null;
      notes.add('BAD_INDEX', { file, line: number, detail: 'a header is too long' });
    } else if (isDataFileLine(line)) {
      const listedScenarios =
        header && parseScenarios(header, { file, line: number, text: line }, notes);
      if (!listedScenarios) notes.add('BAD_INDEX', { file, line: number });
      else {
        const isRepeated = keys.has(getKey(header, line));
        for (const scenario of listedScenarios) scenarios.push({ ...scenario, isRepeated });
      }
      if (!hasComment) notes.add('NO_COMMENT_LINE', { file, line: number });
      keys.add(getKey(header, line));
    }
  }
  return scenarios;
}

function getKey(header: InfoHeader | null, line: string): string {
  return JSON.stringify([[...(header ?? [])], line]);
}

/**
 * Returns the lines of a text that are not blank, with their numbers from 1. A header that follows runs on the same
 * line becomes a separate line with the same number.
 */
function separateLines(text: string): { line: string; number: number }[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length > maximumLineLength) return [{ line, number: index + 1 }];
    const isHeaderOrComment = line.startsWith('%') || isHeaderLine(line);
    const parts = isHeaderOrComment ? [line] : line.split(/(?=\b(?:suite|funcId|algorithm)\s*=)/);
    const lines = parts.length > 1 && isDataFileLine(parts[0] ?? '') ? splitHeader(parts) : [line];
    return lines
      .filter((part) => part.trim() !== '')
      .map((part) => ({ line: part, number: index + 1 }));
  });
}

/** Returns the runs, and everything after them as one header. */
function splitHeader([runs = '', ...header]: readonly string[]): string[] {
  return [runs, header.join('')];
}

interface DataLine {
  file: string;
  line: number;
  text: string;
}

/**
 * Returns the scenarios of the data files that a line lists; null if one of them has no function or no valid dimension.
 * Assignments in the line replace those of the header. Adds notes about refused paths.
 */
function parseScenarios(
  header: InfoHeader,
  dataLine: DataLine,
  notes: NoteBook,
): Scenario[] | null {
  const lineHeader = parseHeader(
    dataLine.text
      .split(',')
      .filter((part) => part.includes('='))
      .join(','),
  );
  const mergedHeader: InfoHeader = new Map([...header, ...lineHeader]);
  const files = getFiles(dataLine.text);
  const scenarios = files.flatMap(({ name, runs }) => {
    const data = getPath(mergedHeader, dataLine, name);
    if (data === null)
      notes.add('PATH_REFUSED', { file: dataLine.file, line: dataLine.line, detail: name });
    return getScenario(mergedHeader, dataLine, { name, data, runs }) ?? [];
  });
  return scenarios.length < files.length ? null : scenarios;
}

function getPath(header: InfoHeader, { file }: DataLine, name: string): string | null {
  const folder = header.get('folder');
  const path = resolveSibling(file, folder === undefined ? name : `${folder}/${name}`);
  return path && removeExtension(path);
}

/**
 * Returns a path without an extension that ends in `dat`, such as `.tdat`. The files of the same runs share the result.
 */
export function removeExtension(path: string): string {
  return path.replace(/\.[a-z]*dat$/i, '');
}

/** Returns the last part of the path of a data file, after `/` or `\`, without its extension. */
export function getDataName(path: string): string {
  return getBaseName(removeExtension(path.replaceAll('\\', '/')));
}

function getScenario(
  header: InfoHeader,
  { file, line }: DataLine,
  { name, data, runs }: { name: string; data: string | null; runs: ListedRun[] },
): Scenario | null {
  const functionId = header.get('funcid') ?? header.get('function');
  const dimension = getDimension(header, name);
  const algorithm = header.get('algid') ?? header.get('algorithm');
  if (functionId === undefined || functionId === '' || dimension === null) return null;
  return {
    file,
    line,
    algorithm: algorithm || 'unknown',
    attributes: parseAttributes(header),
    suite: header.get('suite') ?? null,
    functionId,
    functionName: header.get('funcname') ?? null,
    dimension,
    direction: getDirection(header.get('maximization')),
    precision: Number(header.get('precision')) || null,
    data,
    dataName: getDataName(name),
    runs,
  };
}

/**
 * Returns the dimension in the name of the file, otherwise that in the header, because one version of a logger lists
 * the files of all dimensions under one header. Returns null if the dimension is missing or not an integer from 1 to
 * 2^31 − 1.
 */
function getDimension(header: InfoHeader, name: string): number | null {
  const [, dimensionInName] = /_DIM(\d+)/i.exec(name) ?? [];
  return parseSmallNatural(Number(dimensionInName ?? header.get('dim'))) || null;
}

function getDirection(maximization: string | undefined): Direction | null {
  if (maximization === undefined || maximization === '') return null;
  return /^t/i.test(maximization) ? 'max' : 'min';
}

/** Returns the data files of a line, each with the runs that follow it. */
function getFiles(text: string): { name: string; runs: ListedRun[] }[] {
  const files: { name: string; runs: ListedRun[] }[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (/\.[a-z]*dat$/i.test(part)) files.push({ name: part, runs: [] });
    else {
      const run = parseListedRun(part);
      if (run) files.at(-1)?.runs.push(run);
    }
  }
  return files;
}

/**
 * Returns a count in an index; 0 without digits, or if the nearest double is too large for the database (2^63 or more).
 */
function parseCount(digits = ''): number {
  const count = Number(digits);
  return count < 2 ** 63 ? count : 0;
}

/**
 * Parses `instance:evaluations|value` at the start of a text; null if the text does not begin with a digit. Without
 * `|`, the logger did not write the end of the run. The instance is 0 if it is above 2^31 − 1.
 */
function parseListedRun(text: string): ListedRun | null {
  const [, instance, evaluations, value] = /^(\d+)(?::(\d*)(\|\S*)?)?/.exec(text) ?? [];
  if (instance === undefined) return null;
  const isFinalised = value !== undefined;
  return {
    instance: parseSmallNatural(Number(instance)) ?? 0,
    evaluations: isFinalised ? parseCount(evaluations) : 0,
    isFinalised,
  };
}

/** The keys (in lower case) and values of a header line, or of several lines. */
export type InfoHeader = ReadonlyMap<string, string>;

/** Keys that describe the problem and the logger, or name the algorithm. `alginfo` becomes the attribute `info`. */
const nonAlgorithmKeys = new Set([
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

/**
 * Maximum length of a header in UTF-16 code units, because the time to parse a header grows with the square of its
 * length.
 */
const maximumHeaderLength = 65_536;

const assignment = /(?<![\w.])([\w.]+)\s*=\s*(?:'((?:[^']|'(?!\s*(?:,|$)))*)'|"([^"]*)"|([^,]*))/g;

/** Returns whether a line is a header: it begins with an assignment, names no data file and is not too long. */
export function isHeaderLine(line: string): boolean {
  return line.length <= maximumHeaderLength && /^\s*[\w.]+\s*=/.test(line) && !isDataFileLine(line);
}

/** Returns whether a line would be a header if it were not too long. */
export function isLongHeader(line: string): boolean {
  return line.length > maximumHeaderLength && /^\s*[\w.]+\s*=/.test(line) && !isDataFileLine(line);
}

/** Returns whether a line names a data file, at its end or before a comma. */
export function isDataFileLine(line: string): boolean {
  return /\.[a-z]*dat\s*(,|$)/i.test(line);
}

/**
 * Parses the assignments in the first 65,536 UTF-16 code units of a line: `key = 'text'`, `"text"` or unquoted text.
 * The first single quote before a comma or the end of these units closes the text; without such a quote, the last one
 * closes it. Returns the values as {@link toPlainText} returns them. If a key is repeated, its last value applies.
 */
export function parseHeader(line: string): InfoHeader {
  const pairs = [...line.slice(0, maximumHeaderLength).matchAll(assignment)].map(
    ([, key = '', singleQuotedText, doubleQuotedText, unquotedText = '']) => {
      return [
        key.toLowerCase(),
        toPlainText(singleQuotedText ?? doubleQuotedText ?? unquotedText),
      ] as const;
    },
  );
  return new Map(pairs);
}

/**
 * Returns the attributes of the algorithm in a header: `alginfo` as `info`, unless it is empty or `_`, and all keys
 * except {@link nonAlgorithmKeys}.
 */
export function parseAttributes(header: InfoHeader): Record<string, FlatAttribute> {
  const furtherEntries = [...header].filter(([key]) => !nonAlgorithmKeys.has(key));
  const info = header.get('alginfo');
  return Object.fromEntries([
    ...(info === undefined || info === '' || info === '_' ? [] : [['info', info] as const]),
    ...furtherEntries.map(([key, text]) => [key, parseAttribute(text)] as const),
  ]);
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the scenarios of a JSON index of IOHprofiler since 0.3.3. Returns null if the file is neither an index nor
 * named like one. Skips each scenario with a missing or invalid required field. Adds the note BAD_JSON for each skipped
 * scenario, and for a file that has the name of an index but no list of scenarios. Also adds notes about refused paths
 * and several objectives.
 */
export function parseJsonIndex(file: string, text: string, notes: NoteBook): Scenario[] | null {
  const isNamedIndex = getBaseName(file).startsWith('IOHprofiler');
  const index = parse(text);
  if (index === null || !('scenarios' in index)) {
    if (isNamedIndex) notes.add('BAD_JSON', { file });
    return isNamedIndex ? [] : null;
  }
  const { scenarios } = index;
  if (!isNamedIndex && !Array.isArray(scenarios)) return null;
  noteFurtherObjectives(index, file, notes);
  return getList(scenarios).flatMap(
    (scenario) => parseJsonScenario(index, scenario, file, notes) ?? [],
  );

  function getList(value: unknown): unknown[] {
    if (!Array.isArray(value)) notes.add('BAD_JSON', { file });
    return Array.isArray(value) ? value : [];
  }
}

/**
 * Returns the object in a JSON text; null for any other text. The logger ioh writes attributes as `nan` and `inf`,
 * which are not valid JSON. `nan`, `inf`, `-inf` and `infinity` become null.
 */
function parse(text: string): JsonObject | null {
  const parseText = (getText: () => string) => {
    try {
      return toObject(JSON.parse(getText()));
    } catch {
      return null;
    }
  };
  return (
    parseText(() => text) ??
    parseText(() =>
      text.replace(stringOrNonFinite, (match) => (match.startsWith('"') ? match : 'null')),
    )
  );
}

/**
 * Pattern of a string, or of a number that is not finite, in the JSON of ioh. A string without a closing quote extends
 * to the end of the text. The time to match is therefore linear.
 */
const stringOrNonFinite = /"(?:[^"\\]|\\.)*"?|-?\b(?:nan|inf(?:inity)?)\b/gis;

function toObject(value: unknown): JsonObject | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : null;
}

function noteFurtherObjectives({ attributes }: JsonObject, file: string, notes: NoteBook): void {
  const listedAttributes: unknown[] = Array.isArray(attributes) ? attributes : [];
  const names = listedAttributes.filter((name) => typeof name === 'string');
  const furtherNames = names.filter((name) => /^(f|y|raw_y)_?\d+$/i.test(name));
  if (furtherNames.length > 0)
    notes.add('ONE_OBJECTIVE', { file, detail: furtherNames.join(', ') });
}

function parseJsonScenario(
  index: JsonObject,
  value: unknown,
  file: string,
  notes: NoteBook,
): Scenario | null {
  const { dimension, path, runs } = toObject(value) ?? {};
  const id = index['function_id'];
  const algorithm = toObject(index['algorithm']);
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  if (!hasId || !isDimension(dimension) || typeof path !== 'string' || !Array.isArray(runs)) {
    notes.add('BAD_JSON', { file });
    return null;
  }
  const data = resolveSibling(file, path);
  if (data === null) notes.add('PATH_REFUSED', { file, detail: path });
  return {
    file,
    line: null,
    algorithm: toText(algorithm?.['name']) ?? 'unknown',
    attributes: parseJsonAttributes(index),
    suite: toText(index['suite']),
    functionId: toPlainText(String(id)),
    functionName: toText(index['function_name']),
    dimension,
    direction: parseJsonDirection(index['maximization']),
    precision: null,
    data: data && removeExtension(data),
    dataName: getDataName(path),
    runs: runs.map(parseListedJsonRun),
  };
}

function isDimension(value: unknown): value is number {
  return (parseSmallNatural(value) ?? 0) > 0;
}

function toText(value: unknown): string | null {
  const text = typeof value === 'string' ? toPlainText(value) : '';
  return text === '' ? null : text;
}

function parseJsonDirection(maximization: unknown): Direction | null {
  if (typeof maximization !== 'boolean') return null;
  return maximization ? 'max' : 'min';
}

/**
 * Returns the attributes of the algorithm: its `info`, unless it is empty, and the attributes of the experiment. An
 * attribute of the experiment with the name `info` replaces that of the algorithm. Omits values for which {@link
 * toFlatText} returns null.
 */
function parseJsonAttributes(index: JsonObject): Record<string, FlatAttribute> {
  const info = toText(toObject(index['algorithm'])?.['info']);
  const experimentAttributes = index['experiment_attributes'];
  const attributeEntries = (
    Array.isArray(experimentAttributes) ? experimentAttributes : []
  ).flatMap((item) => Object.entries(toObject(item) ?? {}));
  return Object.fromEntries([
    ...(info === null ? [] : [['info', info] as const]),
    ...attributeEntries.flatMap(([name, value]) => {
      const text = toFlatText(value);
      return text === null ? [] : [[toPlainText(name), parseAttribute(text)] as const];
    }),
  ]);
}

/**
 * Returns a value as text, or a list of values with commas between them; null for an object or a nested list, which no
 * logger writes.
 */
function toFlatText(value: unknown): string | null {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  const isFlat = parts.every((part) => part === null || typeof part !== 'object');
  return isFlat ? parts.map(String).join(',') : null;
}

/**
 * Parses a run. Its number of evaluations is the larger of `evals` and `best.evals`, because `evals` is 0 if the logger
 * did not count evaluations. Invalid numbers count as 0.
 */
function parseListedJsonRun(value: unknown): ListedRun {
  const { instance, evals, best } = toObject(value) ?? {};
  const { evals: evalsOfBest, y } = toObject(best) ?? {};
  const evaluations = toEvaluations(evalsOfBest);
  return {
    instance: parseSmallNatural(instance) ?? 0,
    evaluations: Math.max(toEvaluations(evals), evaluations),
    isFinalised: true,
    ...(typeof y === 'number' && { best: { evaluations, value: y } }),
  };
}

function toEvaluations(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The value of an attribute of an algorithm or problem. */
export type FlatAttribute = string | number | boolean;

/** Maximum length of names and values in UTF-16 code units, because databases index them and limit index entries. */
const maximumTextLength = 500;

/**
 * Returns a text with U+FFFD for each lone surrogate and a space for each sequence of control characters, trimmed and
 * truncated to 500 UTF-16 code units.
 */
export function toPlainText(text: string): string {
  const plainText = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return getTextStart(plainText, maximumTextLength);
}

/** Largest number of an instance or dimension that the database can store. */
const maximumNumber = 2 ** 31 - 1;

/** Returns a whole number from 0 to 2^31 − 1; null for anything else. */
export function parseSmallNatural(value: unknown): number | null {
  const isNatural = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maximumNumber;
  return isNatural ? Number(value) : null;
}

/** Returns the finite decimal number in a text; any other text as {@link toPlainText} returns it. */
export function parseAttribute(text: string): FlatAttribute {
  const plainText = toPlainText(text);
  return parseDecimal(plainText) ?? plainText;
}

/**
 * Pattern of the names of the data files of pycma that no import needs: all except `fit.dat`, which contains the
 * objective values.
 */
const otherFiles =
  /(?:^|[^a-z])(?:axlen|axlencorr|axlenprec|stddev|sigvec|xmean|xrecentbest|x0)\.dat$/;

/** Returns whether a file has the name of a data file of pycma other than `fit.dat`. */
export function isUnusedPycmaFile(path: string): boolean {
  return otherFiles.test(getBaseName(path));
}

/**
 * Pattern of the paths of the two files of pycma that are the index of a run: its parameters, and the criteria that
 * stopped it.
 */
const indexFile = /(parameters|stoppings)\.json2$/;

/** Returns whether a path is that of a file of the index of a pycma run. */
export function isPycmaIndex(path: string): boolean {
  return indexFile.test(path);
}

/**
 * Returns the scenario of a run of pycma (`outcmaes/`) from one of the two files of its index, which are Python
 * literals. `parameters.json2` states the dimension and the population size; its scenario has a run that is not
 * finalised. `stoppings.json2` is `{}` until the run has stopped; its scenario has the dimension 0, and a finalised run
 * only after the stop. {@link joinPycmaIndexes} joins both scenarios. Returns null if `parameters.json2` states no
 * dimension above 0.
 */
export function parsePycmaIndex(file: string, text: string): Scenario[] | null {
  const data = file.replace(indexFile, 'fit');
  const scenario: Scenario = {
    file,
    line: null,
    algorithm: 'CMA-ES',
    attributes: {},
    suite: null,
    functionId: 'objective',
    functionName: null,
    dimension: 0,
    direction: 'min',
    precision: null,
    data: removeExtension(data),
    dataName: getDataName(data),
    runs: [],
  };
  if (file.endsWith('stoppings.json2')) {
    const hasStopped = /^\s*\{.+\}\s*$/s.test(text);
    return [{ ...scenario, runs: hasStopped ? [makeRun(true)] : [] }];
  }
  const [, dimension] = /'N':\s*(\d{1,9})\b/.exec(text) ?? [];
  const [, size] = /'popsize':\s*(\d{1,9})\b/.exec(text) ?? [];
  if (Number(dimension ?? 0) === 0) return null;
  const attributes = size === undefined ? {} : { popsize: Number(size) };
  return [{ ...scenario, attributes, dimension: Number(dimension), runs: [makeRun(false)] }];
}

function makeRun(isFinalised: boolean): Scenario['runs'][number] {
  return { instance: 0, evaluations: 0, isFinalised };
}

/**
 * Joins the scenarios of the two index files of each run of pycma into one. Omits the scenario of a `stoppings.json2`
 * without a `parameters.json2`. Returns other scenarios unchanged, in their order.
 */
export function joinPycmaIndexes(scenarios: readonly Scenario[]): Scenario[] {
  const isEnd = ({ file }: Scenario) => file.endsWith('stoppings.json2');
  const endsByData = new Map(scenarios.filter(isEnd).map((end) => [end.data, end.runs]));
  return scenarios
    .filter((scenario) => !isEnd(scenario))
    .map((scenario) => {
      const runs = isPycmaIndex(scenario.file) ? endsByData.get(scenario.data) : undefined;
      return runs?.length ? { ...scenario, runs } : scenario;
    });
}
