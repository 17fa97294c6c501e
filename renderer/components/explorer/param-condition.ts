import { parseDecimal } from '#renderer/state/decimal.ts';

/** How a parameter is compared, as the service takes it; `~` = contains. Longer signs first. */
const operators = ['<=', '>=', '!=', '=', '<', '>', '~'] as const;

/** A condition on a parameter of the configuration. */
export interface ParamCondition {
  path: string;
  operator: (typeof operators)[number];
  value: string;
}

const shape = /^(\S+?)\s*(<=|>=|!=|=|<|>|~)\s*(.*)$/;

/**
 * The condition that a text such as `populationSize > 50` says, or in a sentence why it says none: a path, a
 * comparison and a value are needed, and only numbers are less or greater.
 */
export function parseParamCondition(text: string): ParamCondition | { problem: string } {
  const [, path, sign, rest] = shape.exec(text.trim()) ?? [];
  const operator = operators.find((known) => known === sign);
  const value = rest?.trim() ?? '';
  if (!path || !operator) {
    return { problem: `Write a parameter, one of ${operators.join(' ')}, and a value` };
  }
  if (value === '') return { problem: 'The value is missing, such as in populationSize > 50' };
  if (/[<>]/.test(operator) && parseDecimal(value) === undefined) {
    return { problem: `Only numbers are compared by ${operator}, and “${value}” is none` };
  }
  return { path, operator, value };
}

/** The text of a condition for the address and the service: `populationSize > 50`. */
export function formatParamCondition({ path, operator, value }: ParamCondition): string {
  return `${path} ${operator} ${value}`;
}
