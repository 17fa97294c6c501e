import type { ParamRow } from '#shared/schemas/run.ts';
import { maskJson } from './mask-json.ts';
import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  secrecyOfKey,
  type Secrecy,
} from './secret-words.ts';

/** The flattened parameter with its value hidden where its path has a secret key, or inside its JSON. */
export function maskParam(row: ParamRow): ParamRow {
  const secrecy = secrecyOfPath(row.paramPath, row.leafKey);
  if (secrecy === 'none') {
    return { ...row, valueText: maskUrls(row.valueText), valueJson: maskJson(row.valueJson) };
  }
  const isNumberHidden = row.valueNumber !== null && secrecy === 'all';
  return {
    ...row,
    valueText: maskScalar(row.valueText, secrecy),
    valueNumber: isNumberHidden ? null : row.valueNumber,
    valueJson: maskUnder(row.leafKey, row.valueJson),
  };
}

/** The text of a scalar parameter as a list shows it, hidden where its path has a secret key. */
export function maskParamText(paramPath: string, text: string | null): string | null {
  const secrecy = secrecyOfPath(paramPath);
  return secrecy === 'none' ? maskUrls(text) : maskScalar(text, secrecy);
}

/**
 * The {@link Secrecy} of what stands under paths of keys with dots between: that of the most secret
 * key, or of the whole path, as a key may have dots itself.
 */
export function secrecyOfPath(...paths: string[]): Secrecy {
  const plain = paths.map((path) => path.replaceAll(/\[\d+\]/g, ''));
  const keys = plain.flatMap((path) => [path, ...path.split('.')]);
  const found = new Set(keys.map(secrecyOfKey));
  if (found.has('all')) return 'all';
  return found.has('texts') ? 'texts' : 'none';
}

function maskScalar(text: string | null, secrecy: Secrecy): string | null {
  return text !== null && isSecretScalar(text, secrecy) ? maskedValue : text;
}

function maskUnder(key: string, json: string | null): string | null {
  if (json === null) return null;
  const head = `{${JSON.stringify(key)}:`;
  return maskJson(`${head}${json}}`).slice(head.length, -1);
}
