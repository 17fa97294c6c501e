import type { ParamRow } from '#shared/schemas/run.ts';
import { maskText } from './mask-text.ts';
import { isSecretScalar, maskedValue, secrecyOfPath, type Secrecy } from './secret-words.ts';

/** The flattened parameter with its value hidden where its path has a secret key, or inside its JSON. */
export function maskParam(row: ParamRow): ParamRow {
  const secrecy = secrecyOfPath(row.paramPath, row.leafKey);
  if (secrecy === 'none') {
    return { ...row, valueText: maskText(row.valueText), valueJson: maskText(row.valueJson) };
  }
  const isNumberHidden = row.valueNumber !== null && secrecy === 'all';
  return {
    ...row,
    valueText: maskScalar(row.valueText, secrecy),
    valueNumber: isNumberHidden ? null : row.valueNumber,
    valueJson: maskUnder(secrecy, row.valueJson),
  };
}

/** A parameter as a list shows it, its text or else its JSON, hidden where its path has a secret key. */
export function maskShownParam(paramPath: string, shown: string | null): string | null {
  const secrecy = secrecyOfPath(paramPath);
  if (secrecy === 'none') return maskText(shown);
  return shown !== null && isJson(shown) ? maskUnder(secrecy, shown) : maskScalar(shown, secrecy);
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

function maskScalar(text: string | null, secrecy: Secrecy): string | null {
  return text !== null && isSecretScalar(text, secrecy) ? maskedValue : text;
}

function maskUnder(secrecy: Secrecy, json: string | null): string | null {
  if (json === null) return null;
  const head = secrecy === 'all' ? '{"secret":' : '{"secrets":';
  return maskText(`${head}${json}}`).slice(head.length, -1);
}
