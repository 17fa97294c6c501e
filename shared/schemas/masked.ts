import * as z from 'zod';

/**
 * Method by which the service masks the secrets in a field when it writes a response. `text`: JSON, prose, or text in a
 * numeric column. `yaml`: YAML. `param`: an object that is a flattened parameter, by its path. `params`: a record of
 * parameters by their paths. `source`: none, because the service masks the secrets before it truncates, searches or
 * compares the text.
 */
export interface Masking {
  as: 'text' | 'yaml' | 'param' | 'params' | 'source';
  /**
   * Maximum length of the sent text in characters, only for `text`; unlimited by default. The service truncates the
   * text after it masks the secrets.
   */
  characters?: number | undefined;
}

/**
 * Registry of the schemas of fields that may contain secrets. Call `describe` and `meta` before `register`, because
 * they return new schemas.
 */
export const maskings = z.registry<Masking>();

/** Returns the schema of a stored text that may contain secrets; see {@link Masking}. */
export function makeMaskedText(as: 'text' | 'yaml' | 'source' = 'text', characters?: number) {
  return z.string().register(maskings, { as, characters });
}
