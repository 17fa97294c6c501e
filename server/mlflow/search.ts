import { makeValidationError } from '#server/errors.ts';

/** Fields of a run or an experiment that a filter or an order of MLflow can name. */
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

/** Pattern of an operand: `metrics.best`, `params."a b"`, or the name of an attribute. */
const operandPattern = String.raw`(?:(\w+)\s*\.\s*)?(?:"([^"]*)"|${'`([^`]*)`'}|([\w./:-]+))`;
const condition = new RegExp(
  String.raw`^\s*${operandPattern}\s*(!=|<=|>=|=|<|>|(?:I?LIKE)\b)\s*('(?:[^']*)'|"(?:[^"]*)"|-?[\d.]+(?:[eE][-+]?\d+)?)\s*`,
  'i',
);
const ordering = new RegExp(String.raw`^\s*${operandPattern}\s*(ASC|DESC)?\s*$`, 'i');

/**
 * Returns a function that tests the conditions of a filter, joined by AND: `=`, `!=`, `<`, `<=`, `>`, `>=`, LIKE and ILIKE
 * of metrics, params, tags and attributes. An empty filter matches everything; a missing value matches no condition.
 * Throws VALIDATION_FAILED for any other syntax.
 */
export function parseFilter(filter: string): (item: Searchable) => boolean {
  const tests: ((item: Searchable) => boolean)[] = [];
  let rest = filter.trim();
  while (rest !== '') {
    const match = condition.exec(rest);
    if (!match) throw makeSyntaxError('filter', rest);
    const [whole, kind, quotedName, backtickName, plainName, operator = '', literal = ''] = match;
    const getValue = createGetter('filter', kind, quotedName ?? backtickName ?? plainName ?? '');
    const isText = /^['"]/.test(literal);
    const expectedValue = isText ? literal.slice(1, -1) : Number(literal);
    if (typeof expectedValue === 'number' && Number.isNaN(expectedValue))
      throw makeSyntaxError('filter', rest);
    tests.push((item) => {
      const value = getValue(item);
      return value !== undefined && matchesCondition(value, operator.toUpperCase(), expectedValue);
    });
    rest = rest.slice(whole.length);
    if (rest === '') break;
    const and = /^AND\s+/i.exec(rest);
    if (!and) throw makeSyntaxError('filter', rest);
    rest = rest.slice(and[0].length);
  }
  return (item) => tests.every((test) => test(item));
}

/**
 * Returns the comparison function of `order_by`, such as `metrics.best ASC`. Missing values are last, NaN before them.
 * Throws VALIDATION_FAILED for any other syntax.
 */
export function parseOrder(clauses: readonly string[]): (a: Searchable, b: Searchable) => number {
  const keys = clauses.map((clause) => {
    const match = ordering.exec(clause);
    if (!match) throw makeSyntaxError('order_by', clause);
    const [, kind, quotedName, backtickName, plainName, direction = 'ASC'] = match;
    const getValue = createGetter('order_by', kind, quotedName ?? backtickName ?? plainName ?? '');
    return { getValue, sign: direction.toUpperCase() === 'DESC' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { getValue, sign } of keys) {
      const [one, other] = [getValue(a), getValue(b)];
      const byRank = getRank(one) - getRank(other);
      if (byRank !== 0) return byRank;
      if (one === undefined || other === undefined || Number.isNaN(one) || one === other) continue;
      return sign * (one < other ? -1 : 1);
    }
    return 0;
  };
}

function getRank(value: Scalar | undefined): number {
  return value === undefined ? 2 : Number(Number.isNaN(value));
}

function createGetter(
  field: string,
  prefix: string | undefined,
  name: string,
): (item: Searchable) => Scalar | undefined {
  const kind = prefix === undefined ? 'attributes' : kinds[prefix.toLowerCase()];
  if (kind === undefined || name === '') throw makeSyntaxError(field, `${prefix}.${name}`);
  return (item) => (Object.hasOwn(item[kind], name) ? item[kind][name] : undefined);
}

function matchesCondition(value: Scalar, operator: string, expectedValue: Scalar): boolean {
  if (operator.endsWith('LIKE')) return isLike(String(value), String(expectedValue), operator);
  const otherValue = typeof value === 'number' ? Number(expectedValue) : String(expectedValue);
  switch (operator) {
    case '=':
      return value === otherValue;
    case '!=':
      return value !== otherValue;
    case '<':
      return value < otherValue;
    case '<=':
      return value <= otherValue;
    case '>':
      return value > otherValue;
    default:
      return value >= otherValue;
  }
}

/** Returns whether a text matches a pattern of LIKE: `%` is any text, `_` any character. Does not backtrack over `%`. */
function isLike(text: string, pattern: string, operator: string): boolean {
  const fold = (part: string) => (operator === 'ILIKE' ? part.toLowerCase() : part);
  const [first = '', ...others] = fold(pattern).split('%');
  const letters = fold(text);
  const matchesAt = (part: string, at: number) =>
    at + part.length <= letters.length &&
    part.split('').every((letter, index) => letter === '_' || letter === letters[at + index]);
  if (!matchesAt(first, 0)) return false;
  const last = others.pop();
  if (last === undefined) return first.length === letters.length;
  let at = first.length;
  for (const part of others) {
    while (at <= letters.length && !matchesAt(part, at)) at += 1;
    if (at > letters.length) return false;
    at += part.length;
  }
  const end = letters.length - last.length;
  return end >= at && matchesAt(last, end);
}

function makeSyntaxError(path: string, part: string): Error {
  const message =
    `cannot be read at "${part.slice(0, 60)}". Write conditions such as metrics.best < 1 AND tags.kind = 'x', ` +
    'and orders such as metrics.best ASC';
  return makeValidationError([{ path, message }]);
}
