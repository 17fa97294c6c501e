import { validationError } from '#server/errors.ts';

/** What a filter or an order of MLflow can name of a run or an experiment. */
export interface Searchable {
  attributes: Readonly<Record<string, string | number>>;
  params: Readonly<Record<string, string>>;
  tags: Readonly<Record<string, string>>;
  metrics: Readonly<Record<string, number>>;
}

type Kind = keyof Searchable;
type Scalar = string | number;

const kinds: Readonly<Record<string, Kind>> = {
  attribute: 'attributes',
  attributes: 'attributes',
  attr: 'attributes',
  run: 'attributes',
  param: 'params',
  params: 'params',
  parameter: 'params',
  parameters: 'params',
  tag: 'tags',
  tags: 'tags',
  metric: 'metrics',
  metrics: 'metrics',
};

/** `metrics.best`, `params."a b"`, or the name of an attribute. */
const place = String.raw`(?:(\w+)\s*\.\s*)?(?:"([^"]*)"|${'`([^`]*)`'}|([\w./:-]+))`;
const condition = new RegExp(
  String.raw`^\s*${place}\s*(!=|<=|>=|=|<|>|(?:I?LIKE)\b)\s*('(?:[^']*)'|"(?:[^"]*)"|-?[\d.]+(?:[eE][-+]?\d+)?)\s*`,
  'i',
);
const ordering = new RegExp(String.raw`^\s*${place}\s*(ASC|DESC)?\s*$`, 'i');

/**
 * Returns the function that tests the conditions of a filter, joined by AND: `=`, `!=`, `<`, `<=`, `>`, `>=`, LIKE and ILIKE
 * of metrics, params, tags and attributes. An empty filter accepts everything; a missing value fulfils no condition.
 * Throws VALIDATION_FAILED for any other syntax.
 */
export function readFilter(filter: string): (item: Searchable) => boolean {
  const tests: ((item: Searchable) => boolean)[] = [];
  let rest = filter.trim();
  while (rest !== '') {
    const match = condition.exec(rest);
    if (!match) throw unreadable('filter', rest);
    const [whole, kind, quoted, ticked, plain, operator = '', written = ''] = match;
    const read = readerOf('filter', kind, quoted ?? ticked ?? plain ?? '');
    const isText = /^['"]/.test(written);
    const expected = isText ? written.slice(1, -1) : Number(written);
    if (typeof expected === 'number' && Number.isNaN(expected)) throw unreadable('filter', rest);
    tests.push((item) => {
      const value = read(item);
      return value !== undefined && holds(value, operator.toUpperCase(), expected);
    });
    rest = rest.slice(whole.length);
    if (rest === '') break;
    const and = /^AND\s+/i.exec(rest);
    if (!and) throw unreadable('filter', rest);
    rest = rest.slice(and[0].length);
  }
  return (item) => tests.every((test) => test(item));
}

/**
 * Returns the order that `order_by` states, such as `metrics.best ASC`: missing values last, NaN before them. Throws
 * VALIDATION_FAILED for any other syntax.
 */
export function readOrder(clauses: readonly string[]): (a: Searchable, b: Searchable) => number {
  const keys = clauses.map((clause) => {
    const match = ordering.exec(clause);
    if (!match) throw unreadable('order_by', clause);
    const [, kind, quoted, ticked, plain, direction = 'ASC'] = match;
    const read = readerOf('order_by', kind, quoted ?? ticked ?? plain ?? '');
    return { read, sign: direction.toUpperCase() === 'DESC' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { read, sign } of keys) {
      const [one, other] = [read(a), read(b)];
      const byRank = rankOf(one) - rankOf(other);
      if (byRank !== 0) return byRank;
      if (one === undefined || other === undefined || Number.isNaN(one) || one === other) continue;
      return sign * (one < other ? -1 : 1);
    }
    return 0;
  };
}

function rankOf(value: Scalar | undefined): number {
  return value === undefined ? 2 : Number(Number.isNaN(value));
}

function readerOf(
  field: string,
  prefix: string | undefined,
  name: string,
): (item: Searchable) => Scalar | undefined {
  const kind = prefix === undefined ? 'attributes' : kinds[prefix.toLowerCase()];
  if (kind === undefined || name === '') throw unreadable(field, `${prefix}.${name}`);
  return (item) => (Object.hasOwn(item[kind], name) ? item[kind][name] : undefined);
}

function holds(value: Scalar, operator: string, expected: Scalar): boolean {
  if (operator.endsWith('LIKE')) return isLike(String(value), String(expected), operator);
  const other = typeof value === 'number' ? Number(expected) : String(expected);
  switch (operator) {
    case '=':
      return value === other;
    case '!=':
      return value !== other;
    case '<':
      return value < other;
    case '<=':
      return value <= other;
    case '>':
      return value > other;
    default:
      return value >= other;
  }
}

/** Whether a text fits a pattern in which `%` is any text and `_` any character; without backtracking over several `%`. */
function isLike(text: string, pattern: string, operator: string): boolean {
  const fold = (part: string) => (operator === 'ILIKE' ? part.toLowerCase() : part);
  const [first = '', ...others] = fold(pattern).split('%');
  const letters = fold(text);
  const fitsAt = (part: string, at: number) =>
    at + part.length <= letters.length &&
    part.split('').every((letter, index) => letter === '_' || letter === letters[at + index]);
  if (!fitsAt(first, 0)) return false;
  const last = others.pop();
  if (last === undefined) return first.length === letters.length;
  let at = first.length;
  for (const part of others) {
    while (at <= letters.length && !fitsAt(part, at)) at += 1;
    if (at > letters.length) return false;
    at += part.length;
  }
  const end = letters.length - last.length;
  return end >= at && fitsAt(last, end);
}

function unreadable(path: string, part: string): Error {
  const message =
    `cannot be read at "${part.slice(0, 60)}". Write conditions such as metrics.best < 1 AND tags.kind = 'x', ` +
    'and orders such as metrics.best ASC';
  return validationError([{ path, message }]);
}
