/** A term of the field, explained once for cards, help and captions. */
export interface Term {
  /** As it heads its explanation. */
  name: string;
  /** The words that stand for it in sentences, titles and heads; its name unless given. Capitals count, but for the first. */
  words?: readonly string[];
  /** What it means, in a sentence or two. */
  definition: string;
  /** How it is computed, in words and signs; absent where there is nothing to compute. */
  formula?: string;
  /** Which runs enter, and which are left out; absent where that is plain. */
  runs?: string;
  /** Where it comes from. */
  source?: string;
}
