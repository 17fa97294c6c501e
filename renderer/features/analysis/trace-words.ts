import { formatSentence } from '#renderer/ui/sentence.ts';

/**
 * Returns the notes on the single runs of a chart: whether improvements were omitted, and why they are missing or not up
 * to date, undefined when they are not.
 */
export function makeTracesNotes(isThinned: boolean, failure: string | undefined): string[] {
  return [
    ...(isThinned ? ['Single runs are drawn with their visible improvements only.'] : []),
    ...(failure === undefined
      ? []
      : [`Single runs could not be loaded: ${formatSentence(failure)}`]),
  ];
}
