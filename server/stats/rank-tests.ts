import type { FriedmanResult, ProblemComparison } from '#shared/schemas/analysis.ts';
import { getPresentValues, sum } from './descriptive.ts';
import {
  computeChiSquaredUpperTail,
  computeFUpperTail,
  computeStudentisedRangeQuantile,
} from './distributions.ts';

/** Ranks of a sample, and the tie correction of the variance of a rank statistic. */
export interface Ranking {
  /** Rank of each value, in the order of the values; tied values have the mean of their ranks. */
  ranks: number[];
  /** Σ(t³ − t) over the groups of t tied values; 0 without ties. */
  tieSum: number;
}

/**
 * Returns the mid-ranks of the values. The smallest value has rank 1, unless it is tied. Equal infinities are ties.
 * Throws a RangeError for NaN.
 */
export function rankValues(values: readonly number[]): Ranking {
  if (values.some(Number.isNaN)) throw new RangeError('NaN has no rank. Omit missing values.');
  const sortedValues = new Float64Array(values).sort();
  // The mid-rank of equal values is at the index of the first of them.
  const midRanks = new Float64Array(sortedValues.length);
  let tieSum = 0;
  for (let start = 0, end = 1; start < sortedValues.length; start = end, end += 1) {
    while (end < sortedValues.length && sortedValues[end] === sortedValues[start]) end += 1;
    midRanks[start] = (start + 1 + end) / 2;
    tieSum += (end - start) ** 3 - (end - start);
  }
  return {
    ranks: values.map((value) => midRanks[findFirstIndex(sortedValues, value)] ?? NaN),
    tieSum,
  };
}

/** Returns the index of the first ascending value that is at least `value`. */
function findFirstIndex(sortedValues: Float64Array, value: number): number {
  let [low, high] = [0, sortedValues.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sortedValues[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the Kruskal-Wallis test of two or more independent groups, tie-corrected, by the χ² approximation. Omits
 * null, undefined, NaN and groups without values. The result is null for fewer than 2 remaining groups. H = 0 and p = 1
 * if all values are equal. Kruskal & Wallis 1952.
 */
export function testKruskalWallis(
  groups: Iterable<Iterable<number | null | undefined>>,
): ProblemComparison['kruskalWallis'] {
  const samples = Array.from(groups, getPresentValues).filter((sample) => sample.length > 0);
  if (samples.length < 2) return null;
  const { ranks, tieSum } = rankValues(samples.flat());
  const total = ranks.length;
  const untiedCubes = total ** 3 - total - tieSum;
  const spread = sum(getSpreadsOfMeanRanks(samples, ranks));
  const statistic = spread === 0 ? 0 : (12 * (total - 1) * spread) / untiedCubes;
  const df = samples.length - 1;
  return { statistic, df, pValue: computeChiSquaredUpperTail(statistic, df) };
}

function getSpreadsOfMeanRanks(samples: readonly number[][], ranks: readonly number[]): number[] {
  const center = (ranks.length + 1) / 2;
  let start = 0;
  return samples.map(({ length }) => {
    const rankSum = sum(ranks.slice(start, start + length));
    start += length;
    return (rankSum - length * center) ** 2 / length;
  });
}

/** Result of the Friedman test of k groups over N blocks. */
export interface FriedmanTest {
  averageRanks: number[];
  /** Tie-corrected χ² with k − 1 degrees of freedom. */
  statistic: number;
  pValue: number;
  /** P-value of the permutation distribution; null for one block, and if there are too many outcomes. */
  exactPValue: number | null;
  /**
   * Iman and Davenport's F test; null for one block, if F is infinite, and with an exact p-value, because an
   * approximation next to an exact p-value would mislead.
   */
  imanDavenport: FriedmanResult['imanDavenport'];
}

/**
 * Returns Friedman's test. `blocks` has one row per block with one value per group. {@link rankValues} ranks the values
 * within each block. Null without blocks and for fewer than 2 groups. If all values within each block are equal, χ² = 0
 * and p = 1. `imanDavenport` is null for one block, with an exact p-value, and if all blocks agree (F infinite). Few
 * blocks therefore never give p = 0. Infinities are ordinary extreme values. Throws a RangeError for NaN. Friedman
 * 1937; Iman & Davenport 1980; Demšar 2006.
 */
export function testFriedman(blocks: readonly (readonly number[])[]): FriedmanTest | null {
  const groupCount = blocks[0]?.length ?? 0;
  if (groupCount < 2) return null;
  const rankings = blocks.map((block) => rankValues(block));
  const rankSums = Array.from({ length: groupCount }, (_, group) =>
    sum(rankings.map((ranking) => ranking.ranks[group] ?? 0)),
  );
  const center = (blocks.length * (groupCount + 1)) / 2;
  const spread = 12 * sum(rankSums.map((rankSum) => (rankSum - center) ** 2));
  const untiedCubes =
    blocks.length * (groupCount ** 3 - groupCount) - sum(rankings.map(({ tieSum }) => tieSum));
  const statistic = spread === 0 ? 0 : ((groupCount - 1) * spread) / untiedCubes;
  const exactPValue = computeFriedmanExactPValue(rankings.map((ranking) => ranking.ranks));
  const residual = blocks.length * untiedCubes - spread;
  return {
    averageRanks: rankSums.map((rankSum) => rankSum / blocks.length),
    statistic,
    pValue: computeChiSquaredUpperTail(statistic, groupCount - 1),
    exactPValue,
    imanDavenport:
      exactPValue === null ? testImanDavenport(spread, residual, blocks.length, groupCount) : null,
  };
}

// F = (N − 1)χ² / (N(k − 1) − χ²). A common factor makes numerator and denominator whole numbers, so the denominator is
// exactly 0 if all blocks agree.
function testImanDavenport(
  spread: number,
  residual: number,
  blockCount: number,
  groupCount: number,
): FriedmanResult['imanDavenport'] {
  const statistic = spread === 0 ? 0 : ((blockCount - 1) * spread) / residual;
  if (blockCount < 2 || !Number.isFinite(statistic)) return null;
  const df1 = groupCount - 1;
  const df2 = (groupCount - 1) * (blockCount - 1);
  return { statistic, df1, df2, pValue: computeFUpperTail(statistic, df1, df2) };
}

/**
 * Returns Nemenyi's critical difference of average ranks for k groups over N blocks: q·√(k(k + 1) / 6N), where q is the
 * quantile of the studentised range for infinite degrees of freedom, divided by √2. The level `alpha` is above 0 and
 * below 1. Null for fewer than 2 groups or no blocks. Demšar 2006.
 */
export function computeNemenyiCriticalDifference(
  groupCount: number,
  blockCount: number,
  alpha = 0.05,
): number | null {
  if (groupCount < 2 || blockCount < 1) return null;
  const criticalValue = computeStudentisedRangeQuantile(alpha, groupCount) / Math.SQRT2;
  return criticalValue * Math.sqrt((groupCount * (groupCount + 1)) / (6 * blockCount));
}

/** Limits beyond which there are too many outcomes to count. */
const maximumGroups = 6;
const maximumVectors = 20_000;

/** Sorted vectors of rank sums with their probabilities, by a number that encodes the vector. */
type Outcomes = Map<number, { vector: number[]; probability: number }>;

/**
 * Returns the exact p-value of Friedman's statistic from the ranks of the groups in each block: the probability of rank
 * sums at least as unequal under independent permutations of all blocks, including ties. Subtracts the lowest rank of
 * each block and doubles the ranks, to compare squares as integers. Stores only sorted vectors of rank sums, because
 * groups are exchangeable. Null for fewer than 2 blocks, for more than 6 groups, for more than 20,000 sorted vectors,
 * and for more than 2^53 − 1 possible codes of a vector.
 */
function computeFriedmanExactPValue(ranks: readonly (readonly number[])[]): number | null {
  const groupCount = ranks[0]?.length ?? 0;
  if (ranks.length < 2 || groupCount > maximumGroups || hasTooManyOutcomes(ranks, groupCount))
    return null;
  const blocks = ranks.map((block) =>
    block.map((blockRank) => 2 * (blockRank - Math.min(...block))),
  );
  const base = 1 + sum(blocks.map((block) => Math.max(...block)));
  if (base ** groupCount > Number.MAX_SAFE_INTEGER) return null;
  const start = { vector: blocks[0]?.map(() => 0) ?? [], probability: 1 };
  let outcomes: Outcomes = new Map([[0, start]]);
  for (const block of blocks) {
    outcomes = addBlock(outcomes, listPermutations(block), base);
    if (outcomes.size > maximumVectors) return null;
  }
  const rankSums = start.vector.map((_, group) => sum(blocks.map((block) => block[group] ?? 0)));
  const observedSum = sumSquares(rankSums);
  const allOutcomes = [...outcomes.values()];
  const extremeOutcomes = allOutcomes.filter(({ vector }) => sumSquares(vector) >= observedSum);
  return sumProbabilities(extremeOutcomes) / sumProbabilities(allOutcomes);
}

// N untied blocks have at least k^(k − 2)·N^(k − 1) vectors: the leading term of the number of lattice points in the
// N-fold permutohedron (Stanley 1980). At most k! of these vectors have the same sorted vector.
function hasTooManyOutcomes(ranks: readonly (readonly number[])[], groupCount: number): boolean {
  const untiedBlockCount = ranks.filter((block) => new Set(block).size === groupCount).length;
  const vectorCount = groupCount ** (groupCount - 2) * untiedBlockCount ** (groupCount - 1);
  return (
    vectorCount / listPermutations(Array.from({ length: groupCount }, (_, index) => index)).length >
    maximumVectors
  );
}

/** Returns the distinct permutations of the values. */
function listPermutations(values: readonly number[]): number[][] {
  if (values.length < 2) return [[...values]];
  return [...new Set(values)].flatMap((firstValue) =>
    listPermutations(values.toSpliced(values.indexOf(firstValue), 1)).map((furtherValues) => [
      firstValue,
      ...furtherValues,
    ]),
  );
}

function addBlock(outcomes: Outcomes, permutations: readonly number[][], base: number): Outcomes {
  const nextOutcomes: Outcomes = new Map();
  const vector = Array.from({ length: permutations[0]?.length ?? 0 }, () => 0);
  for (const outcome of outcomes.values()) {
    const probability = outcome.probability / permutations.length;
    for (const permutation of permutations) {
      addSorted(vector, outcome.vector, permutation);
      const key = vector.reduce((digits, rankSum) => digits * base + rankSum, 0);
      const existingOutcome = nextOutcomes.get(key);
      if (existingOutcome) existingOutcome.probability += probability;
      else nextOutcomes.set(key, { vector: [...vector], probability });
    }
  }
  return nextOutcomes;
}

/** Writes a + b into the target in ascending order, by insertion. */
function addSorted(target: number[], a: readonly number[], b: readonly number[]): void {
  for (let index = 0; index < a.length; index += 1) {
    const value = (a[index] ?? 0) + (b[index] ?? 0);
    let position = index;
    for (; position > 0 && (target[position - 1] ?? 0) > value; position -= 1) {
      target[position] = target[position - 1] ?? 0;
    }
    target[position] = value;
  }
}

function sumProbabilities(outcomes: readonly { probability: number }[]): number {
  return sum(outcomes.map(({ probability }) => probability));
}

function sumSquares(values: readonly number[]): number {
  return values.reduce((total, value) => total + value * value, 0);
}
