/** Returns the text as a separate sentence: with a full stop, unless it ends with another mark. */
export function formatSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
