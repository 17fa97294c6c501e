import * as z from 'zod';

/** Masking of the secrets in a field when the service writes a response. */
export interface Masking {
  /**
   * `text` masks JSON, prose, and text in a numeric column; `yaml` masks YAML; `param` masks an object that is a
   * flattened parameter, by its path; `params` masks a record of parameters, by their paths. `source` masks nothing,
   * because the service masks the secrets before it truncates, searches or compares the text.
   */
  method: 'text' | 'yaml' | 'param' | 'params' | 'source';
  /**
   * Maximum length of the sent text in characters, only for `text`; unlimited by default. The service truncates the
   * text after it masks the secrets.
   */
  maximumCharacters?: number | undefined;
}

/**
 * Registry of the schemas of fields that may contain secrets. Call `describe` and `meta` before `register`, because
 * they return new schemas.
 */
export const maskings = z.registry<Masking>();

/** Returns the schema of a stored text that may contain secrets; see {@link Masking}. */
export function makeMaskedText(
  method: 'text' | 'yaml' | 'source' = 'text',
  maximumCharacters?: number,
) {
  return z.string().register(maskings, { method, maximumCharacters });
}
