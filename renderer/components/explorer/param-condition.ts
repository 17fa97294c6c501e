import { parseParamFilter } from '#shared/param-filter.ts';
import { isDecimal } from '#shared/decimal.ts';

const oneOf = /^(?<path>[^\s=<>!~]+)\s+in\s+(?<values>.+)$/i;

/**
 * The condition on a parameter as the service takes it, of a text such as `populationSize > 50`; with `in` a list
 * is written without quotes: `algorithm in umda, pbil`. What is none comes back with a sentence that says why.
 */
export function conditionOf(text: string): { condition: string } | { problem: string } {
  const list = oneOf.exec(text.trim())?.groups;
  const condition = list ? `${list['path']} = ${jsonList(list['values'] ?? '')}` : text.trim();
  const parsed = parseParamFilter(condition);
  return typeof parsed === 'string' ? { problem: `The condition ${parsed}` } : { condition };
}

function jsonList(text: string): string {
  const values = text.split(',').map((value) => value.trim());
  return `[${values.map((value) => (isDecimal(value) ? value : JSON.stringify(value))).join(', ')}]`;
}
