import * as z from 'zod';

/**
 * How secrets in a field of an answer are hidden when it is written. `text`: JSON, prose or what was stored in place of a
 * number. `yaml`: YAML. `param`: an object that is a flattened parameter, by its path. `params`: a record of parameters
 * by their paths. `source`: the text is made of one whose secrets were hidden before, as it was shortened, searched or
 * compared: hiding them afterwards would be too late.
 */
export interface Masking {
  as: 'text' | 'yaml' | 'param' | 'params' | 'source';
  /** Longest text that is sent, in characters; it is shortened after its secrets were hidden. */
  characters?: number | undefined;
}

/** Which schemas are of fields that may hold secrets. `describe` and `meta` make other schemas: call them before. */
export const maskings = z.registry<Masking>();

/** A text out of the database that may hold secrets, which are hidden when an answer with it is written. */
export function maskedText(as: 'text' | 'yaml' | 'source' = 'text', characters?: number) {
  return z.string().register(maskings, { as, characters });
}
