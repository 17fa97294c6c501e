import type { Across } from '#shared/schemas/analysis-across.ts';
import { normalUpperTail } from './distributions.ts';
import { holmAdjust } from './multiple-tests.ts';

type ControlComparison = Omit<NonNullable<Across['versusControl']>[number], 'group'>;

/**
 * Each average rank compared with that of a control group, two-sided by the normal distribution:
 * z = (R_i − R_c) / √(k(k + 1) / 6N), with Holm's adjustment over the others. In the order given; null at the
 * place of the control. Demšar 2006.
 */
export function compareWithControl(
  averageRanks: readonly number[],
  control: number,
  blocks: number,
): (ControlComparison | null)[] {
  const groups = averageRanks.length;
  const standardError = Math.sqrt((groups * (groups + 1)) / (6 * blocks));
  const scores = averageRanks.map(
    (average) => (average - (averageRanks[control] ?? NaN)) / standardError,
  );
  const pValues = scores.map((z, index) =>
    index === control ? null : Math.min(1, 2 * normalUpperTail(Math.abs(z))),
  );
  const adjusted = holmAdjust(pValues);
  return scores.map((z, index) => {
    const [pValue, holmAdjustedPValue] = [pValues[index] ?? null, adjusted[index] ?? null];
    return pValue === null || holmAdjustedPValue === null
      ? null
      : { z, pValue, holmAdjustedPValue };
  });
}
