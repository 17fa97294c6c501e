import type { ParamRow } from '#shared/schemas/run.ts';

/** Returns the value of a flattened parameter: a number as a number, null as the word, all others as text. */
export function getParamValue(param: ParamRow): string | number {
  if (param.valueType === 'number') return param.valueNumber ?? param.valueText ?? '';
  if (param.valueType === 'json') return param.valueJson ?? '';
  if (param.valueType === 'null') return 'null';
  return param.valueText ?? '';
}

/** Returns the parameters whose section, path or value contain every word of a text, ignoring case. */
export function getMatchingParams(params: readonly ParamRow[], text: string): ParamRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return params.filter((param) => {
    const content = `${param.section} ${param.paramPath} ${getParamValue(param)}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
}
