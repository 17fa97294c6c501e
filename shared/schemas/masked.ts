import * as z from 'zod';

/**
 * How secrets in a field are masked when a response is written. `text`: JSON, prose, or text in a numeric column.
 * `yaml`: YAML. `param`: an object that is a flattened parameter, by its path. `params`: a record of parameters by
 * their paths. `source`: the secrets are already masked, because the text was truncated, searched or compared before.
 */
export interface Masking {
  as: 'text' | 'yaml' | 'param' | 'params' | 'source';
  /** Maximum length of the sent text in characters. It is truncated after its secrets are masked. */
  characters?: number | undefined;
}

/**
 * Registry of the schemas of fields that may contain secrets. Call `describe` and `meta` before `register`, because
 * they return new schemas.
 */
export const maskings = z.registry<Masking>();

/** Returns the schema of a stored text that may contain secrets. They are masked when a response is written. */
export function makeMaskedText(as: 'text' | 'yaml' | 'source' = 'text', characters?: number) {
  return z.string().register(maskings, { as, characters });
}
