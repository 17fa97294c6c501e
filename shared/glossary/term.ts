/** A term of the field, defined once for cards, help and captions. */
export interface Term {
  /** Heading of its explanation. */
  name: string;
  /** Words for it in sentences, titles and column headings; default: its name. Case-sensitive except for the first letter. */
  words?: readonly string[];
  /** Definition in one or two sentences. */
  definition: string;
  /** Formula in words and symbols; absent where nothing is computed. */
  formula?: string;
  /** Included and excluded runs; absent where obvious. */
  runs?: string;
  /** Literature reference. */
  source?: string;
}
