import { sum } from './sum.ts';

/** Beyond either there are too many outcomes to count them all. */
const mostGroups = 6;
const mostVectors = 20_000;

/** Sorted vectors of rank sums with their probabilities, by a number that encodes the vector. */
type Outcomes = Map<number, { vector: number[]; probability: number }>;

/**
 * Exact p-value of Friedman's statistic from the ranks of the groups in each block: the probability of rank
 * sums at least as unequal when every block is permuted separately, with its ties. Their squares are
 * compared in integers (ranks are doubled, and counted from the lowest of their block). Only sorted vectors
 * of rank sums are kept, as the groups are exchangeable. Null for fewer than 2 blocks, for more than 6
 * groups and for more than 20,000 sorted vectors.
 */
export function friedmanExactPValue(ranks: readonly (readonly number[])[]): number | null {
  const groups = ranks[0]?.length ?? 0;
  if (ranks.length < 2 || groups > mostGroups || hasTooManyOutcomes(ranks, groups)) return null;
  const blocks = ranks.map((block) => block.map((rank) => 2 * (rank - Math.min(...block))));
  const base = 1 + sum(blocks.map((block) => Math.max(...block)));
  if (base ** groups > Number.MAX_SAFE_INTEGER) return null;
  const start = { vector: blocks[0]?.map(() => 0) ?? [], probability: 1 };
  let outcomes: Outcomes = new Map([[0, start]]);
  for (const block of blocks) {
    outcomes = addBlock(outcomes, arrangements(block), base);
    if (outcomes.size > mostVectors) return null;
  }
  const rankSums = start.vector.map((_, group) => sum(blocks.map((block) => block[group] ?? 0)));
  const observed = sumOfSquares(rankSums);
  const all = [...outcomes.values()];
  const extreme = all.filter(({ vector }) => sumOfSquares(vector) >= observed);
  return totalProbability(extreme) / totalProbability(all);
}

// N untied blocks have at least k^(k − 2)·N^(k − 1) vectors, the leading term of the number of lattice points
// in the N-fold permutohedron (Stanley 1980), each of which is one of at most k! that sort to the same.
function hasTooManyOutcomes(ranks: readonly (readonly number[])[], groups: number): boolean {
  const untied = ranks.filter((block) => new Set(block).size === groups).length;
  const vectors = groups ** (groups - 2) * untied ** (groups - 1);
  return (
    vectors / arrangements(Array.from({ length: groups }, (_, rank) => rank)).length > mostVectors
  );
}

/** The distinct orders of the values. */
function arrangements(values: readonly number[]): number[][] {
  if (values.length < 2) return [[...values]];
  return [...new Set(values)].flatMap((first) =>
    arrangements(values.toSpliced(values.indexOf(first), 1)).map((rest) => [first, ...rest]),
  );
}

function addBlock(outcomes: Outcomes, orders: readonly number[][], base: number): Outcomes {
  const next: Outcomes = new Map();
  const vector = Array.from({ length: orders[0]?.length ?? 0 }, () => 0);
  for (const before of outcomes.values()) {
    const probability = before.probability / orders.length;
    for (const order of orders) {
      addSorted(vector, before.vector, order);
      const key = vector.reduce((digits, rankSum) => digits * base + rankSum, 0);
      const known = next.get(key);
      if (known) known.probability += probability;
      else next.set(key, { vector: [...vector], probability });
    }
  }
  return next;
}

/** Writes a + b into the target in ascending order, by insertion. */
function addSorted(target: number[], a: readonly number[], b: readonly number[]): void {
  for (let index = 0; index < a.length; index += 1) {
    const value = (a[index] ?? 0) + (b[index] ?? 0);
    let place = index;
    for (; place > 0 && (target[place - 1] ?? 0) > value; place -= 1) {
      target[place] = target[place - 1] ?? 0;
    }
    target[place] = value;
  }
}

function totalProbability(outcomes: readonly { probability: number }[]): number {
  return sum(outcomes.map(({ probability }) => probability));
}

function sumOfSquares(values: readonly number[]): number {
  return values.reduce((total, value) => total + value * value, 0);
}
