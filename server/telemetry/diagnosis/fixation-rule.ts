import { found, firstValue, hitIteration, lastingSpan, type Words } from './findings.ts';
import { beforeTargetWords, percent, type DiagnosedTelemetry, type Rule } from './model.ts';

const fixationRatio = 0.9;
const fixedEntropyBits = 0.05;
const fixedEntropyShare = 0.05;

/** What counts as fixed in a family, and how that is said. */
function fixationSearches({ family, series }: DiagnosedTelemetry) {
  if (family === 'binary') {
    return [
      {
        key: 'binary_fixation_ratio',
        least: true,
        threshold: fixationRatio,
        words: `share of fixed bits at least ${percent(fixationRatio)}`,
      },
      {
        key: 'binary_mean_entropy',
        least: false,
        threshold: fixedEntropyBits,
        words: `mean entropy at most ${fixedEntropyBits} bit`,
      },
    ];
  }
  const size = firstValue(series['perm_size'] ?? []) ?? 0;
  if (family !== 'permutation' || size < 2) return [];
  return [
    {
      key: 'perm_position_entropy_mean',
      least: false,
      threshold: fixedEntropyShare * Math.log2(size),
      words: `mean position entropy at most ${percent(fixedEntropyShare)} of log2 ${size} bit`,
    },
  ];
}

/** PREMATURE_FIXATION: the model has decided nearly everything before the target was reached, and to the end. */
export const prematureFixation: Rule = (run, course) => {
  const { telemetry } = run;
  for (const { key, least, threshold, words } of fixationSearches(telemetry)) {
    const search = {
      key,
      values: telemetry.series[key] ?? [],
      isFound: (value: number) => (least ? value >= threshold : value <= threshold),
    };
    const span = lastingSpan(search);
    if (!span || (telemetry.iterations[span.from] ?? 0) >= hitIteration(run, course)) continue;
    const message = `The model is fixed from here to the end (${words}), ${beforeTargetWords(run)}.`;
    const said: Words = {
      code: 'PREMATURE_FIXATION',
      severity: 'warning',
      message,
      tab: 'insights',
    };
    return found(telemetry, search, span, said, threshold);
  }
  return null;
};
