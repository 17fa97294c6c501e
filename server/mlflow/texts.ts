import { maskListedParam } from '#server/domain/secrets/mask-params.ts';

/** Returns the value of a parameter or a tag with masked secrets; see {@link maskListedParam}. */
export function maskParamOrTag(key: string, value: string): string {
  return maskListedParam(key, value);
}

/**
 * Returns parameters or tags as a list of `key` and `value`, the format of MLflow, with masked secrets in the values.
 */
export function listTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({ key, value: maskParamOrTag(key, value) }));
}
