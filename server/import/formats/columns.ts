/** Where the numbers of a data file stand, counted from 0. */
export interface Columns {
  evaluations: number;
  /** Evaluations of the constraints, which count too; -1 = none. */
  constraintEvaluations: number;
  /** The value: best so far where the file has it, else that of the evaluation. */
  value: number;
  /** The logger, as its names of columns tell. */
  format: LoggerFormat;
}

/** What wrote a data file: it decides which values it holds. */
export type LoggerFormat = 'coco-old' | 'coco-new' | 'coco-indicator' | 'iohprofiler';

/** Names of columns with the value, the best so far before the current one. */
const valueNames: readonly RegExp[] = [
  /^best noise-free fitness/,
  /^best-so-far f\(x\)$/,
  /^indicator value$/,
  /^raw_y_best$/,
  /^raw_y$/,
  /^current f\(x\)$/,
];

const evaluationNames = new Set(['f evaluations', 'function evaluation', 'function evaluations']);

/**
 * The columns that a header names, whichever logger wrote it: COCO's begin with `%` and part the names by `|`,
 * those of IOHprofiler until 0.3.2 stand in quotes, and later ones are bare words. Null for a line that is no
 * header; `value` is -1 where no column of values is known.
 */
export function columnsOf(line: string): Columns | null {
  const names = namesOf(line);
  const evaluations = names.findIndex((name) => evaluationNames.has(name));
  if (evaluations === -1) return null;
  const known = valueNames.map((pattern) => names.findIndex((name) => pattern.test(name)));
  return {
    evaluations,
    constraintEvaluations: names.indexOf('g evaluations'),
    value: known.find((index) => index !== -1) ?? -1,
    format: formatOf(names),
  };
}

function formatOf(names: readonly string[]): LoggerFormat {
  if (names.includes('indicator value')) return 'coco-indicator';
  if (!names.some((name) => name.includes('noise-free fitness'))) return 'iohprofiler';
  return names.includes('g evaluations') ? 'coco-new' : 'coco-old';
}

function namesOf(line: string): string[] {
  if (line.startsWith('%')) return line.slice(1).split('|').map(plainName);
  if (line.startsWith('"'))
    return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([bare, quoted]) => plainName(quoted ?? bare));
  // The bare form calls its first column `evaluations`, a word that no other header has alone.
  return line
    .trim()
    .split(/\s+/)
    .map((name) => (name === 'evaluations' ? 'f evaluations' : name));
}

function plainName(name: string): string {
  return name.trim().toLowerCase();
}
