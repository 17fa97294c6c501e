import { maskListedParam } from '#server/domain/secrets/mask-params.ts';

/** Returns the value of a parameter or tag with masked secrets; see {@link maskListedParam}. */
export function maskTextOf(key: string, value: string): string {
  return maskListedParam(key, value);
}

/** Returns parameters or tags as MLflow writes them, with masked secrets in their values. */
export function listTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({ key, value: maskTextOf(key, value) }));
}
