import { formatGroupTitle } from '#shared/group-metrics.ts';
import type {
  Across,
  AcrossCell,
  AcrossInstance,
  CellMeasure,
} from '#shared/schemas/analysis-across.ts';
import { hasAsterisks } from '#shared/across-words.ts';
import { isClearlyBest } from '#shared/claim-marks.ts';
import {
  formatFitness,
  formatRuntime,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';

/** An instance with the cell of each group, by its name. */
export interface AcrossRow extends AcrossInstance {
  cells: ReadonlyMap<string, AcrossCell>;
  /** Groups without a significantly better one get an asterisk. */
  hasAsterisks: boolean;
}

/** Returns the instances of the table with their cells, in the order of the response. */
export function makeAcrossRows({ instances, cells, groups }: Across): AcrossRow[] {
  return instances.map((instance, index) => {
    const own = cells.slice(index * groups.length, (index + 1) * groups.length);
    return {
      ...instance,
      cells: new Map(own.map((cell) => [cell.group, cell])),
      hasAsterisks: hasAsterisks(own),
    };
  });
}

/**
 * Returns the value of a cell for display and sorting, which may be infinite; null where the group lacks the instance.
 */
export function getCellValue(cell: AcrossCell | undefined): number | null {
  if (!cell) return null;
  return cell.infinity === null ? cell.value : cell.infinity * Infinity;
}

/** Formats the values of each measure. */
export const printCell: Readonly<Record<CellMeasure, (value: number | null) => string>> = {
  median: formatFitness,
  mean: formatFitness,
  ert: formatRuntime,
  success: formatShare,
  anytime: formatStatistic,
};

/** A group over all instances shared by all groups. */
export interface RankedGroup {
  group: string;
  label: string;
  averageRank: number;
  wins: number;
  ties: number;
  losses: number;
  /** Significantly better than every other group in the tests of pairs. */
  isClearlyBest: boolean;
  /** Holm-adjusted p-value against the control; null without one, and for the control itself. */
  pVersusControl: number | null;
}

/** Returns the groups with their ranks and their wins, ties and losses over all opponents, best rank first. */
export function getRankedGroups(across: Across): RankedGroup[] {
  const labels = new Map(across.groups.map((one) => [one.group, formatGroupTitle(one)]));
  const versus = new Map(across.versusControl?.map((one) => [one.group, one.holmAdjustedPValue]));
  return across.averageRanks
    .map(({ group, averageRank }) => {
      const asA = across.winsTiesLosses.filter(({ a }) => a === group);
      const asB = across.winsTiesLosses.filter(({ b }) => b === group);
      const total = (ofA: 'wins' | 'ties' | 'losses', ofB: 'wins' | 'ties' | 'losses') =>
        asA.reduce((sum, pair) => sum + pair[ofA], 0) +
        asB.reduce((sum, pair) => sum + pair[ofB], 0);
      return {
        group,
        label: labels.get(group) ?? group,
        averageRank,
        isClearlyBest: isClearlyBest(group, across.pairTests.pairs),
        wins: total('wins', 'losses'),
        ties: total('ties', 'ties'),
        losses: total('losses', 'wins'),
        pVersusControl: versus.get(group) ?? null,
      };
    })
    .sort((a, b) => a.averageRank - b.averageRank);
}
