import { describeCount, formatCount, formatStatistic } from '#shared/number-format.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import { getMessages } from '#renderer/ui/Notes.tsx';
import type { TermsHere } from '#renderer/ui/term-here.ts';

/** Values of the terms of expected runtimes: included trials, references, and the parts of each mean. */
export function getTermsOfErts(response: CampaignErts): TermsHere {
  const { rows, summary, references, notes } = response;
  const sum = (count: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((total, row) => total + count(row), 0);
  const failed = sum(({ failedTrials }) => failedTrials);
  const runs = [
    `${formatCount(sum(({ trials }) => trials))} trials ran, ` +
      `${formatCount(sum(({ solvedTrials }) => solvedTrials))} of them reached the target`,
    ...(failed > 0 ? [`${describeCount(failed, 'trial')} FAILED and excluded`] : []),
    ...getMessages(notes),
  ];
  return {
    ert: { runs },
    ertRatio: { runs },
    reference: { numbers: references },
    geometricMean: {
      numbers: summary.map((one) => {
        const { optimizerId, label = optimizerId, dimension, comparedFunctions } = one;
        return (
          `${label}, dimension ${dimension}: ${formatStatistic(one.geometricMeanRatio)} over ` +
          `${formatCount(comparedFunctions)}, ${formatCount(one.infiniteRatios)} infinite`
        );
      }),
    },
  };
}
