import { maskListedParam } from '#server/domain/secrets/mask-params.ts';

/** Returns parameters or tags as MLflow writes them, without the secrets in them. */
export function listTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({
    key,
    value: maskListedParam(key, value),
  }));
}
