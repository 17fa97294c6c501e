import type { ParamRow } from '#shared/schemas/run.ts';
import { maskText } from './mask-text.ts';
import { isSecretScalar, maskedValue, type Secrecy, getSecrecyOfPath } from './secret-words.ts';

/**
 * Masks a flattened parameter. If its path or its leaf key is secret, masks its scalars (see {@link isSecretScalar}).
 * Otherwise masks the secrets in its text and its JSON. A number under a key that ends with a secret word becomes null.
 */
export function maskParam(row: ParamRow): ParamRow {
  const secrecy = getSecrecyOfPath(row.paramPath, row.leafKey);
  if (secrecy === 'none') {
    return { ...row, valueText: maskText(row.valueText), valueJson: maskText(row.valueJson) };
  }
  const isNumberMasked = row.valueNumber !== null && secrecy === 'all';
  return {
    ...row,
    valueText: maskScalar(row.valueText, secrecy),
    valueNumber: isNumberMasked ? null : row.valueNumber,
    valueJson: maskJson(secrecy, row.valueJson),
  };
}

/**
 * Masks the text or the JSON of a parameter or a tag. If its path is secret, masks its scalars (see {@link
 * isSecretScalar}). Otherwise masks the secrets inside it. Null stays null.
 */
export function maskListedParam<Text extends string | null>(
  paramPath: string,
  value: Text,
): Text | string {
  const secrecy = getSecrecyOfPath(paramPath);
  if (secrecy === 'none') return maskText(value);
  return value !== null && isJson(value) ? maskJson(secrecy, value) : maskScalar(value, secrecy);
}

function isJson(text: string): boolean {
  if (!/^\s*["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function maskScalar<Text extends string | null>(text: Text, secrecy: Secrecy): Text | string {
  return text !== null && isSecretScalar(text, secrecy) ? maskedValue : text;
}

function maskJson<Text extends string | null>(secrecy: Secrecy, json: Text): Text | string {
  if (json === null) return json;
  const prefix = secrecy === 'all' ? '{"secret":' : '{"secrets":';
  return maskText(`${prefix}${json}}`).slice(prefix.length, -1);
}
