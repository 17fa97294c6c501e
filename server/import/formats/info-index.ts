import type { Direction } from '#server/domain/objective.ts';
import type { ListedRun, Scenario } from './scenario.ts';
import type { NoteBook } from '#server/import/notes.ts';
import { baseName, siblingPath } from '#server/import/source/entry.ts';
import { smallNatural, attributeOf, type FlatAttribute, plainText } from './attributes.ts';

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
