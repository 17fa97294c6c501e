import { makeValidationError, truncate } from '#server/errors.ts';
import { maskParamOrTag } from './texts.ts';

/** Fields of a run, an experiment or a model that a filter or an order of MLflow can name. */
export interface SearchFields {
  attributes: Readonly<Record<string, string | number>>;
  params: Readonly<Record<string, string>>;
  tags: Readonly<Record<string, string>>;
  metrics: Readonly<Record<string, number>>;
}

type Kind = keyof SearchFields;
type Scalar = string | number;

const kinds: ReadonlyMap<string, Kind> = new Map([
  ['attribute', 'attributes'],
  ['attributes', 'attributes'],
  ['attr', 'attributes'],
  ['run', 'attributes'],
  ['param', 'params'],
  ['params', 'params'],
  ['parameter', 'params'],
  ['parameters', 'params'],
  ['tag', 'tags'],
  ['tags', 'tags'],
  ['metric', 'metrics'],
  ['metrics', 'metrics'],
]);

/** Pattern of an operand: `metrics.best`, `params."a b"`, or the name of an attribute. */
const operandPattern = String.raw`(?:(\w+)\s*\.\s*)?(?:"([^"]*)"|${'`([^`]*)`'}|([\w./:-]+))`;
const textPattern = String.raw`(?:'[^']*'|"[^"]*")`;
const conditionPattern = new RegExp(
  String.raw`^\s*${operandPattern}\s*(?:(!=|<=|>=|=|<|>|I?LIKE\b)\s*(${textPattern}|-?[\d.]+(?:e[-+]?\d+)?)` +
    String.raw`|\b(IN|NOT\s+IN)\s*\(\s*(${textPattern}(?:\s*,\s*${textPattern})*)\s*\)` +
    String.raw`|\bIS\s+(NOT\s+)?NULL\b)\s*`,
  'i',
);
const orderPattern = new RegExp(String.raw`^\s*${operandPattern}\s*(ASC|DESC)?\s*$`, 'i');

/** Further names of attributes in MLflow. */
const attributeAliases: ReadonlyMap<string, string> = new Map([
  ['created', 'start_time'],
  ['Created', 'start_time'],
  ['run name', 'run_name'],
  ['Run name', 'run_name'],
  ['Run Name', 'run_name'],
]);

/** A request for a page of `size` items that match a filter. `page` is the number of the page, from 0. */
export interface SearchRequest {
  filter: string;
  orderBy: readonly string[];
  size: number;
  page: number;
}

/**
 * Returns a page of the items that match a filter, and the token of the next page if there is one. Sorts the items by
 * `orderBy`, then by the clauses of `finalOrder`, then by their order in `parts`. Throws VALIDATION_FAILED for an
 * invalid filter or order, before it reads the parts.
 */
export async function findPage<Item extends { searchFields: SearchFields }>(
  parts: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  { filter, orderBy, size, page }: SearchRequest,
  attributeNames: readonly string[],
  finalOrder: readonly string[] = [],
): Promise<{ items: Item[]; nextPage: { next_page_token?: string } }> {
  const accepts = parseFilter(filter, attributeNames);
  const compare = parseOrder([...orderBy, ...finalOrder], attributeNames);
  const matches: Item[] = [];
  for await (const items of parts)
    for (const item of items) if (accepts(item.searchFields)) matches.push(item);
  matches.sort((a, b) => compare(a.searchFields, b.searchFields));
  const end = (page + 1) * size;
  return {
    items: matches.slice(page * size, end),
    nextPage: end < matches.length ? { next_page_token: String(page + 1) } : {},
  };
}

/**
 * Returns a function that evaluates the conditions of a filter, joined by AND. The operators are `=`, `!=`, `<`, `<=`,
 * `>`, `>=`, LIKE, ILIKE, IN, NOT IN, IS NULL and IS NOT NULL. The operands are metrics, params, tags and the
 * attributes `attributeNames`. Masks secrets in params and tags before it compares them. An empty filter matches
 * everything; a missing value matches only IS NULL. Throws VALIDATION_FAILED for other attributes, for invalid
 * comparisons (see {@link checkComparison}) and for any other syntax.
 */
function parseFilter(
  filter: string,
  attributeNames: readonly string[],
): (item: SearchFields) => boolean {
  const predicates: ((item: SearchFields) => boolean)[] = [];
  let remainder = filter.trim();
  while (remainder !== '') {
    const match = conditionPattern.exec(remainder);
    if (!match) throw makeSyntaxError('filter', remainder);
    const [matchedText, kind, quotedName, backtickName, plainName] = match;
    const [operator = '', literal = '', listOperator, list = '', negation] = match.slice(5);
    const name = quotedName ?? backtickName ?? plainName ?? '';
    const { getValue, isNumeric } = createGetter('filter', attributeNames, kind, name);
    const isText = /^['"]/.test(literal);
    const expectedText = isText ? literal.slice(1, -1) : literal;
    if (!isText && Number.isNaN(Number(literal))) throw makeSyntaxError('filter', remainder);
    checkComparison(matchedText, operator, expectedText, isNumeric);
    const texts = list.match(new RegExp(textPattern, 'g'))?.map((text) => text.slice(1, -1));
    predicates.push((item) => {
      const value = getValue(item);
      if (operator === '' && texts === undefined)
        return (value === undefined) === (negation === undefined);
      if (value === undefined) return false;
      return texts === undefined
        ? matchesCondition(value, operator.toUpperCase(), expectedText)
        : texts.includes(String(value)) === /^IN$/i.test(listOperator ?? '');
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
 * Returns the comparison function of `order_by`, such as `metrics.best ASC`; ASC is the default. Masks secrets in
 * params and tags before it compares them. Missing values are last in both directions, and NaN is before missing
 * values. Without clauses, all items are equal. Throws VALIDATION_FAILED for other attributes and any other syntax.
 */
function parseOrder(
  clauses: readonly string[],
  attributeNames: readonly string[],
): (a: SearchFields, b: SearchFields) => number {
  const keys = clauses.map((clause) => {
    const match = orderPattern.exec(clause);
    if (!match) throw makeSyntaxError('order_by', clause);
    const [, kind, quotedName, backtickName, plainName, direction = 'ASC'] = match;
    const name = quotedName ?? backtickName ?? plainName ?? '';
    const { getValue } = createGetter('order_by', attributeNames, kind, name);
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
  attributeNames: readonly string[],
  prefix: string | undefined,
  nameOrAlias: string,
): { getValue: (item: SearchFields) => Scalar | undefined; isNumeric: boolean } {
  const kind = prefix === undefined ? 'attributes' : kinds.get(prefix.toLowerCase());
  if (kind === undefined || nameOrAlias === '')
    throw makeSyntaxError(field, prefix === undefined ? '""' : `${prefix}.${nameOrAlias}`);
  const name =
    kind === 'attributes' ? (attributeAliases.get(nameOrAlias) ?? nameOrAlias) : nameOrAlias;
  if (kind === 'attributes' && !attributeNames.includes(name)) {
    const message = `has the unknown attribute "${truncate(name)}". Use one of ${attributeNames.join(', ')}`;
    throw makeValidationError([{ path: field, message }]);
  }
  // This function caches masked texts, because a sort compares each value several times.
  const maskedTexts = new Map<string, string>();
  const getValue = (item: SearchFields) => {
    const value = Object.hasOwn(item[kind], name) ? item[kind][name] : undefined;
    if (typeof value !== 'string' || kind === 'attributes') return value;
    // Filters see the same masks as responses. Otherwise, the matches of many filters would reveal a secret letter by
    // letter.
    const maskedText = maskedTexts.get(value) ?? maskParamOrTag(name, value);
    maskedTexts.set(value, maskedText);
    return maskedText;
  };
  const isNumeric = kind === 'metrics' || (kind === 'attributes' && /_time(stamp)?$/.test(name));
  return { getValue, isNumeric };
}

/**
 * Throws VALIDATION_FAILED if the operator is `<`, `<=`, `>` or `>=` and the operand is a text. As texts, "100" is
 * before "20", so a search would return the wrong items. Also throws it if the operator is one of these, `=` or `!=`,
 * the operand is numeric, and the literal is not a finite number. MLflow refuses both, too.
 */
function checkComparison(
  condition: string,
  operator: string,
  expectedText: string,
  isNumeric: boolean,
): void {
  const isOrder = /[<>]/.test(operator);
  const isNumber = expectedText.trim() !== '' && Number.isFinite(Number(expectedText));
  let reason = '';
  if (!isNumeric && isOrder) reason = 'its value is a text. Use =, !=, LIKE, ILIKE, IN or NOT IN';
  if (isNumeric && (isOrder || operator.endsWith('=')) && !isNumber)
    reason = 'its value is numeric. Compare it with a number';
  if (reason === '') return;
  const message = `has the invalid comparison "${truncate(condition.trim())}": ${reason}`;
  throw makeValidationError([{ path: 'filter', message }]);
}

function matchesCondition(value: Scalar, operator: string, expectedText: string): boolean {
  if (operator.endsWith('LIKE')) return matchesPattern(String(value), expectedText, operator);
  const otherValue = typeof value === 'number' ? Number(expectedText) : expectedText;
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

/**
 * Returns whether a text matches a pattern: `%` matches any text, and `_` any UTF-16 code unit. LIKE is case-sensitive,
 * and ILIKE ignores case. Never backtracks over `%`.
 */
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
    `is invalid at "${part.slice(0, 60)}". Write conditions such as metrics.best < 1 AND tags.kind = 'x', ` +
    'and orders such as metrics.best ASC';
  return makeValidationError([{ path, message }]);
}
