import { parseParamFilter, isInteger, parseDecimal } from '#shared/syntax.ts';

const oneOf = /^(?<path>[^\s=<>!~]+)\s+in\s+(?<values>.+)$/i;
/** After a path with spaces: `max error in sample > 3` has an operator, and is no list. */
const oneOfSpaced = /^(?<path>[^=<>!~]+?)\s+in\s+(?<values>[^=<>!~]+)$/i;

/**
 * Parses a condition such as `populationSize > 50` and returns it as the service takes it; a list after `in` is written
 * without quotes: `algorithm in umda, pbil`. An invalid condition returns a sentence with the reason.
 */
export function getCondition(text: string): { condition: string } | { error: string } {
  const trimmed = text.trim();
  const list = (oneOf.exec(trimmed) ?? oneOfSpaced.exec(trimmed))?.groups;
  const condition = list ? `${list['path']} = ${getJsonList(list['values'] ?? '')}` : trimmed;
  const parsed = parseParamFilter(condition);
  return typeof parsed === 'string' ? { error: `The condition ${parsed}` } : { condition };
}

function getJsonList(text: string): string {
  const values = text.split(',').map((value) => value.trim());
  return `[${values.map(getJsonValue).join(', ')}]`;
}

/** Returns a value as JSON, which has no `.5`, `+2` or `007`; an integer with all its digits. */
function getJsonValue(text: string): string {
  const number = parseDecimal(text);
  if (number === undefined) return JSON.stringify(text);
  return isInteger(text) ? String(BigInt(text)) : JSON.stringify(number);
}
