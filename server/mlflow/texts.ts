import { maskListedParam } from '#server/domain/secrets/mask-params.ts';

/** Returns the value of a parameter or tag without the secrets in it. */
export function maskTextOf(key: string, value: string): string {
  return maskListedParam(key, value);
}

/** Returns parameters or tags as MLflow writes them, without the secrets in them. */
export function listTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({ key, value: maskTextOf(key, value) }));
}
