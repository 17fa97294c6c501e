import { makeValidationError } from '#server/errors.ts';
import { maskTextOf } from './texts.ts';

/** Fields of a run or an experiment that a filter or an order of MLflow can name. */
export interface SearchFields {
  attributes: Readonly<Record<string, string | number>>;
  params: Readonly<Record<string, string>>;
  tags: Readonly<Record<string, string>>;
  metrics: Readonly<Record<string, number>>;
}

type Kind = keyof SearchFields;
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
const conditionPattern = new RegExp(
  String.raw`^\s*${operandPattern}\s*(!=|<=|>=|=|<|>|(?:I?LIKE)\b)\s*('(?:[^']*)'|"(?:[^"]*)"|-?[\d.]+(?:[eE][-+]?\d+)?)\s*`,
  'i',
);
const orderPattern = new RegExp(String.raw`^\s*${operandPattern}\s*(ASC|DESC)?\s*$`, 'i');

/**
 * Returns a function that evaluates the conditions of a filter, joined by AND: `=`, `!=`, `<`, `<=`, `>`, `>=`, LIKE
 * and ILIKE of metrics, params, tags and attributes. An empty filter matches everything; a missing value matches no
 * condition. Throws VALIDATION_FAILED for any other syntax.
 */
export function parseFilter(filter: string): (item: SearchFields) => boolean {
  const predicates: ((item: SearchFields) => boolean)[] = [];
  let remainder = filter.trim();
  while (remainder !== '') {
    const match = conditionPattern.exec(remainder);
    if (!match) throw makeSyntaxError('filter', remainder);
    const [matchedText, kind, quotedName, backtickName, plainName, operator = '', literal = ''] =
      match;
    const getValue = createGetter('filter', kind, quotedName ?? backtickName ?? plainName ?? '');
    const isText = /^['"]/.test(literal);
    const expectedValue = isText ? literal.slice(1, -1) : Number(literal);
    if (typeof expectedValue === 'number' && Number.isNaN(expectedValue))
      throw makeSyntaxError('filter', remainder);
    predicates.push((item) => {
      const value = getValue(item);
      return value !== undefined && matchesCondition(value, operator.toUpperCase(), expectedValue);
    });
    remainder = remainder.slice(matchedText.length);
    if (remainder === '') break;
    const conjunction = /^AND\s+/i.exec(remainder);
    if (!conjunction) throw makeSyntaxError('filter', remainder);
    remainder = remainder.slice(conjunction[0].length);
  }
  return (item) => predicates.every((predicate) => predicate(item));
}

/**
 * Returns the comparison function of `order_by`, such as `metrics.best ASC`. Missing values are last, NaN before them.
 * Without clauses, all items are equal. Throws VALIDATION_FAILED for any other syntax.
 */
export function parseOrder(
  clauses: readonly string[],
): (a: SearchFields, b: SearchFields) => number {
  const keys = clauses.map((clause) => {
    const match = orderPattern.exec(clause);
    if (!match) throw makeSyntaxError('order_by', clause);
    const [, kind, quotedName, backtickName, plainName, direction = 'ASC'] = match;
    const getValue = createGetter('order_by', kind, quotedName ?? backtickName ?? plainName ?? '');
    return { getValue, sign: direction.toUpperCase() === 'DESC' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { getValue, sign } of keys) {
      const [valueA, valueB] = [getValue(a), getValue(b)];
      const rankDifference = getRank(valueA) - getRank(valueB);
      if (rankDifference !== 0) return rankDifference;
      if (valueA === undefined || valueB === undefined || Number.isNaN(valueA) || valueA === valueB)
        continue;
      return sign * (valueA < valueB ? -1 : 1);
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
): (item: SearchFields) => Scalar | undefined {
  const kind = prefix === undefined ? 'attributes' : kinds[prefix.toLowerCase()];
  if (kind === undefined || name === '') throw makeSyntaxError(field, `${prefix}.${name}`);
  // A sort compares each value several times.
  const maskedTexts = new Map<string, string>();
  return (item) => {
    const value = Object.hasOwn(item[kind], name) ? item[kind][name] : undefined;
    if (typeof value !== 'string' || kind === 'attributes') return value;
    // Filters see the same masks as responses. Otherwise, the matches of many filters would reveal a secret letter by
    // letter.
    const maskedText = maskedTexts.get(value) ?? maskTextOf(name, value);
    maskedTexts.set(value, maskedText);
    return maskedText;
  };
}

function matchesCondition(value: Scalar, operator: string, expectedValue: Scalar): boolean {
  if (operator.endsWith('LIKE'))
    return matchesPattern(String(value), String(expectedValue), operator);
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

/** Returns whether a text matches a pattern of LIKE: `%` is any text, `_` any character. Never backtracks over `%`. */
function matchesPattern(text: string, pattern: string, operator: string): boolean {
  const foldCase = (part: string) => (operator === 'ILIKE' ? part.toLowerCase() : part);
  const [firstPart = '', ...otherParts] = foldCase(pattern).split('%');
  const letters = foldCase(text);
  const matchesAt = (part: string, position: number) =>
    position + part.length <= letters.length &&
    part.split('').every((letter, index) => letter === '_' || letter === letters[position + index]);
  if (!matchesAt(firstPart, 0)) return false;
  const lastPart = otherParts.pop();
  if (lastPart === undefined) return firstPart.length === letters.length;
  let position = firstPart.length;
  for (const part of otherParts) {
    while (position <= letters.length && !matchesAt(part, position)) position += 1;
    if (position > letters.length) return false;
    position += part.length;
  }
  const end = letters.length - lastPart.length;
  return end >= position && matchesAt(lastPart, end);
}

function makeSyntaxError(path: string, part: string): Error {
  const message =
    `cannot be read at "${part.slice(0, 60)}". Write conditions such as metrics.best < 1 AND tags.kind = 'x', ` +
    'and orders such as metrics.best ASC';
  return makeValidationError([{ path, message }]);
}
