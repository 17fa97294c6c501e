import { computeWilsonInterval } from '#server/stats/runtime.ts';
import { allSituations, type ChunkCounts } from './plan.ts';

/** Largest share of the tested problems about identical groups in which the pages may claim a difference. */
export const mostClaims = 0.065;
/** Least share of the intervals that must contain the true value, by the number of runs. */
export const leastCovering = (runs: number) => (runs < 15 ? 0.88 : 0.92);
/** Least share of the problems of a situation that must be tested. */
export const leastTested = 0.5;

interface Total {
  problems: number;
  tested: number;
  claimed: number;
  belowLevel: number;
}

function total(counts: readonly ChunkCounts[]): Total {
  const getSum = (value: (chunk: ChunkCounts) => number) =>
    counts.reduce((sum, chunk) => sum + value(chunk), 0);
  return {
    problems: getSum(({ from, to }) => to - from),
    tested: getSum(({ tested }) => tested),
    claimed: getSum(({ claimed }) => claimed),
    belowLevel: getSum(({ belowLevel }) => belowLevel),
  };
}

/** A table of all situations with each size, the situations that miss their goals, and the intervals that cover too little. */
export function report(counts: readonly ChunkCounts[]): {
  text: string;
  missed: string[];
  narrow: string[];
} {
  const lines = [
    row('situation', 'k', 'n', 'problems', 'tested', 'claims', '95 % interval', 'p <= 0.05'),
  ];
  const missed: string[] = [];
  for (const { name, goal } of allSituations) {
    const own = counts.filter(({ situation }) => situation === name);
    if (own.length === 0) continue;
    const bySize = Map.groupBy(own, ({ size }) => `${size.groups} ${size.runs}`);
    for (const [key, chunks] of bySize) {
      const [groups = '', runs = ''] = key.split(' ');
      lines.push(figures(name, groups, runs, total(chunks)));
    }
    const whole = total(own);
    if (bySize.size > 1) lines.push(figures(name, 'all', 'all', whole));
    const share = whole.claimed / whole.tested;
    if (goal !== undefined && share < goal)
      missed.push(`${name}: found in less than ${percent(goal)}`);
    if (goal === undefined && share > mostClaims)
      missed.push(`${name}: more than ${percent(mostClaims)} claims`);
    if (whole.tested < leastTested * whole.problems) missed.push(`${name}: less than half tested`);
  }
  const coverage = getCoverage(counts);
  return {
    text: [...lines, '', ...coverage.lines].join('\n'),
    missed,
    narrow: coverage.missed,
  };
}

/** A table of all intervals by the number of runs, and those that contain the true value too rarely. */
function getCoverage(counts: readonly ChunkCounts[]): { lines: string[]; missed: string[] } {
  const lines = [row('95 % interval', '', 'n', 'shown', 'contain', 'the true', 'value')];
  const missed: string[] = [];
  const all = counts.flatMap(({ size, intervals }) =>
    Object.entries(intervals).map(([name, own]) => ({ name, runs: size.runs, ...own })),
  );
  const groups = Map.groupBy(all, ({ name, runs }) => `${name} ${runs}`);
  for (const [, own] of [...groups].sort(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )) {
    const [{ name, runs } = { name: '', runs: 0 }] = own;
    const shown = own.reduce((sum, one) => sum + one.shown, 0);
    const covering = own.reduce((sum, one) => sum + one.covering, 0);
    const interval = computeWilsonInterval(covering, shown);
    const range = interval ? `${percent(interval.lower)} to ${percent(interval.upper)}` : '–';
    lines.push(row(name, '', String(runs), String(shown), percent(covering / shown), '', range));
    if (covering < leastCovering(runs) * shown) {
      missed.push(
        `${name}, n = ${runs}: contains the true value in less than ${percent(leastCovering(runs))}`,
      );
    }
  }
  return { lines, missed };
}

function figures(name: string, groups: string, runs: string, counts: Total): string {
  const { problems, tested, claimed, belowLevel } = counts;
  const interval = computeWilsonInterval(claimed, tested);
  const range = interval ? `${percent(interval.lower)} to ${percent(interval.upper)}` : '–';
  return row(
    name,
    groups,
    runs,
    String(problems),
    percent(tested / problems),
    tested === 0 ? '–' : percent(claimed / tested),
    range,
    tested === 0 ? '–' : percent(belowLevel / tested),
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function row(name: string, ...cells: string[]): string {
  return [name.padEnd(26), ...cells.map((cell, index) => cell.padStart(widths[index] ?? 0))].join(
    ' ',
  );
}

const widths = [3, 3, 8, 8, 8, 17, 9];
