import { formatSentence } from '#renderer/ui/sentence.ts';

/**
 * Returns the notes on the single runs of a chart, none by default: `isThinned` states that improvements are omitted,
 * and `failure` why the runs are missing or not up to date.
 */
export function makeTracesNotes(isThinned: boolean, failure: string | undefined): string[] {
  return [
    ...(isThinned ? ['Single runs are drawn with their visible improvements only.'] : []),
    ...(failure === undefined
      ? []
      : [`Single runs could not be loaded: ${formatSentence(failure)}`]),
  ];
}
