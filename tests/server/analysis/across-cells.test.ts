import { describe, expect, it, test } from 'vitest';
import { formatCsvLines } from '#server/formats/csv-table.ts';
import { acrossCell } from '#shared/schemas/analysis-across.ts';
import {
  getCells,
  getGroupDifferences,
  isComparable,
  isShared,
  getResults,
  getDirectionAndWorstValue,
  testedMeasure,
  type InstanceResults,
} from '#server/analysis/across-cells.ts';
import { rankAcross } from '#server/analysis/across-tests.ts';
import { getStartedRuns } from '#server/analysis/guard-comparison.ts';
import { guardGroups, testFamily } from '#server/domain/claims/compare-groups.ts';
import { sampleGroup } from '#server/domain/claims/guard.ts';
import { expectAllClose, expectClose, loadOracle } from '#tests/server/stats/oracle.ts';
import { everyRun } from './compare.ts';
import { makeObjective, makeRun, addTraces, type RunWithIterations } from './sample-runs.ts';

interface RunSample {
  evaluations: number[];
  success: boolean[];
}

interface Case {
  name: string;
  cell: 'median' | 'mean' | 'ert' | 'success';
  groups: string[];
  control: string | null;
  instances: {
    name: string;
    direction: 'min' | 'max';
    samples: Record<string, number[] | RunSample>;
  }[];
  expected: {
    instances: {
      name: string;
      used: boolean;
      n: Record<string, number>;
      cells: Record<string, number | null>;
      shared: boolean;
      ranks: Record<string, number> | null;
      best: string[] | null;
      versus_best: { group: string; p_holm: number; not_distinguishable: boolean }[] | null;
    }[];
    N: number;
    mean_ranks: Record<string, number> | null;
    wins_ties_losses: object[];
    friedman: {
      chi2: number;
      df: number;
      p: number;
      exact_p: number | null;
      iman_davenport: number | null;
      iman_davenport_p: number | null;
    } | null;
    cd05: number | null;
    control: { versus: { group: string; z: number; p: number; p_holm: number }[] } | null;
    signed_rank: {
      n: number;
      zeros: number;
      w_plus: number;
      w_minus: number;
      p_exact_conditional: number;
      p: number;
    } | null;
  };
}

function getRuns(name: string, sample: number[] | RunSample): RunWithIterations[] {
  if (Array.isArray(sample)) {
    return sample.map((best, index) =>
      makeRun(`${name}-${index}`, [], { bestFitness: best, evaluations: 1_000 }),
    );
  }
  return sample.evaluations.map((spent, index) =>
    makeRun(`${name}-${index}`, [[spent, sample.success[index] === true ? 1 : 5]]),
  );
}

/** Returns the instances as the endpoint finds them: groups of completed runs, after the guard. */
function getInstances({ cell, groups, instances }: Case) {
  return instances.map(({ name, direction, samples }) => {
    const isTimed = cell === 'ert' || cell === 'success';
    const objective = makeObjective(isTimed ? 'min' : direction, isTimed ? 1 : null);
    const facts = { experiments: new Map(), silentIds: new Set<string>(), objective };
    const presentGroups = groups.filter((group) => getRuns(group, samples[group] ?? []).length > 0);
    const guardedGroups = guardGroups(
      presentGroups.map((group) => ({
        name: group,
        runs: getStartedRuns(addTraces(getRuns(group, samples[group] ?? []), objective), facts),
      })),
      {
        direction: objective.direction,
        target: objective.targetFitness,
        failed: 'include',
        stopped: 'include',
        silent: 'running',
      },
    );
    const { results } = getResults(cell, guardedGroups);
    return {
      instance: name,
      block: name,
      ...getDirectionAndWorstValue(cell, direction),
      results: groups.map((group) => results.get(group) ?? { n: 0, value: null }),
      guarded: guardedGroups,
    };
  });
}

describe('the table of groups and instances agrees with the reference', () => {
  const { cases } = loadOracle('across') as { cases: Case[] };

  test.each(cases)('$name', (expectedTest) => {
    const { groups, expected } = expectedTest;
    const allInstances = getInstances(expectedTest);
    const comparableInstances = allInstances.filter(isComparable);
    expect(comparableInstances.map(({ instance }) => instance)).toEqual(
      expected.instances.filter((instance) => instance.used).map(({ name }) => name),
    );
    const control = expectedTest.control === null ? null : groups.indexOf(expectedTest.control);
    const table = rankAcross(groups, comparableInstances, control, {
      missing: 'shared',
      blocks: 'function',
    });
    const tests = testFamily(
      comparableInstances.map(({ guarded: guardedGroups }) => guardedGroups),
    );
    for (const [index, instance] of comparableInstances.entries()) {
      const pairs = tests[index]?.pairwise[testedMeasure[expectedTest.cell]] ?? [];
      const cells = getCells(groups, instance, pairs);
      expectCells(
        cells,
        instance,
        expected.instances.find(({ name }) => name === instance.instance)!,
      );
    }
    expectSummary(table, groups, expected);
  });
});

type Table = ReturnType<typeof rankAcross>;

function expectCells(
  cells: ReturnType<typeof getCells>,
  { results, ...instance }: InstanceResults,
  expected: Case['expected']['instances'][number],
): void {
  expect(isShared({ ...instance, results })).toBe(expected.shared);
  expect(cells.filter(({ best }) => best).map(({ group }) => group)).toEqual(expected.best);
  for (const [index, cell] of cells.entries()) {
    const { group } = cell;
    expect(cell.n).toBe(expected.n[group]);
    expectClose(results[index]?.value, expected.cells[group]);
    expect(cell.value ?? (cell.infinity ?? NaN) * Infinity).toEqual(results[index]?.value ?? NaN);
    expectClose(cell.rank, expected.ranks?.[group] ?? null);
    const testedGroup = expected.versus_best?.find((expectedTest) => expectedTest.group === group);
    expectClose(cell.pVersusBest, testedGroup?.p_holm ?? null);
  }
}

function expectSummary(
  { averageRanks, winsTiesLosses, friedman, signedRank, versusControl }: Table,
  groups: string[],
  expected: Case['expected'],
): void {
  expectAllClose(
    averageRanks.map(({ averageRank }) => averageRank),
    expected.mean_ranks === null ? [] : groups.map((group) => expected.mean_ranks![group]!),
  );
  expect(winsTiesLosses).toEqual(expected.wins_ties_losses);
  const omnibus = expected.friedman;
  expect([friedman.blocks, friedman.df]).toEqual(omnibus ? [expected.N, omnibus.df] : [0, null]);
  expectClose(friedman.statistic, omnibus?.chi2 ?? null);
  expectClose(friedman.pValue, omnibus?.p ?? null);
  if (omnibus && omnibus.exact_p !== null) expectClose(friedman.exactPValue, omnibus.exact_p);
  const hasFStatistic = friedman.exactPValue === null && omnibus !== null;
  expectClose(
    friedman.imanDavenport?.statistic ?? null,
    hasFStatistic ? omnibus.iman_davenport : null,
  );
  expectClose(
    friedman.imanDavenport?.pValue ?? null,
    hasFStatistic ? omnibus.iman_davenport_p : null,
  );
  expectClose(friedman.criticalDifference, expected.cd05, 1e-10);
  expect(versusControl?.map(({ group }) => group)).toEqual(
    expected.control?.versus.map(({ group }) => group),
  );
  for (const [index, expectedTest] of expected.control?.versus.entries() ?? []) {
    const actual = versusControl?.[index];
    expectAllClose(
      [actual?.z, actual?.pValue, actual?.holmAdjustedPValue],
      [expectedTest.z, expectedTest.p, expectedTest.p_holm],
    );
  }
  const pairs = expected.signed_rank;
  const statistics = [signedRank?.n, signedRank?.zeros, signedRank?.wPlus, signedRank?.wMinus];
  expect(statistics).toEqual([pairs?.n, pairs?.zeros, pairs?.w_plus, pairs?.w_minus]);
  const isExact = (pairs?.n ?? 0) < 50;
  expectClose(signedRank?.pValue, isExact ? pairs?.p_exact_conditional : pairs?.p);
}

test('an infinite cell keeps its sign, on the wire and in CSV', () => {
  const results = [-Infinity, 2, Infinity].map((value) => ({ n: 1, value }));
  const instance = {
    instance: 'i',
    block: 'i',
    ...getDirectionAndWorstValue('median', 'min'),
    results,
  };
  const cells = getCells(['a', 'b', 'c'], instance, []);
  expect(cells.map(({ value, infinity, best }) => [value, infinity, best])).toEqual([
    [null, -1, true],
    [2, null, false],
    [null, 1, false],
  ]);
  const { headings, rows } = formatCsvLines(acrossCell.array(), [], {}, cells);
  const index = headings.trimEnd().split(',').indexOf('value');
  const values = rows
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(',')[index]);
  expect(values).toEqual(['-Inf', '2', 'Inf']);
});

/** Returns a group whose runs end with the fitness 1 after these evaluations. */
const group = (
  count: number,
  evaluations: number,
  firstStatus = 'COMPLETED',
  objective = makeObjective('min', null),
) => {
  const madeRuns = Array.from({ length: count }, (_, index) =>
    makeRun(`r${index}`, [[evaluations, 1]], {
      status: index === 0 ? firstStatus : 'COMPLETED',
    }),
  );
  const runs = addTraces(madeRuns, objective);
  const facts = { experiments: new Map(), silentIds: new Set<string>(), objective };
  const terms = { ...everyRun, direction: objective.direction, target: objective.targetFitness };
  return { runs, sample: sampleGroup({ name: 'g', runs: getStartedRuns(runs, facts) }, terms) };
};

describe('getGroupDifferences', () => {
  it('is null for groups with equal runs, and for budgets within 5 %', () => {
    const noDifferences = { budget: null, runs: null, completed: null };
    expect(getGroupDifferences([group(5, 1_000), group(5, 1_000)])).toEqual(noDifferences);
    expect(getGroupDifferences([group(5, 1_000), group(5, 953)])).toEqual(noDifferences);
    expect(getGroupDifferences([])).toEqual(noDifferences);
  });

  it('does not take the evaluations to the target for a budget', () => {
    const solvedGroup = group(5, 300, 'COMPLETED', makeObjective('min', 1));
    expect(getGroupDifferences([solvedGroup, group(5, 1_000)]).budget).toBeNull();
    // To the target it used more than the other group had.
    expect(getGroupDifferences([solvedGroup, group(5, 100)]).budget).toEqual({
      least: 100,
      most: 300,
    });
  });

  it('states the smallest and the largest budget, number of runs and share of completed runs', () => {
    expect(getGroupDifferences([group(5, 1_000), group(5, 952)]).budget).toEqual({
      least: 952,
      most: 1_000,
    });
    expect(getGroupDifferences([group(5, 1_000), group(4, 1_000)]).runs).toEqual({
      least: 4,
      most: 5,
    });
    expect(getGroupDifferences([group(5, 1_000), group(5, 1_000, 'FAILED')]).completed).toEqual({
      least: 0.8,
      most: 1,
    });
  });
});

test.each(['ert', 'success'] as const)(
  '%s is null if a run reached the target, but perhaps only after the common budget',
  (measure) => {
    const objective = makeObjective('min', 1);
    const facts = { experiments: new Map(), silentIds: new Set<string>(), objective };
    const withoutTrace = { bestFitness: 0.5, evaluations: 1_000 };
    const runs = {
      a: [
        makeRun('a-0', [[300, 1]]),
        makeRun('a-1', [], withoutTrace),
        makeRun('a-2', [], { ...withoutTrace, bestFitness: 5 }),
      ],
      b: [0, 1, 2].map((id) => makeRun(`b-${id}`, [[500, 5]])),
    };
    const groups = Object.entries(runs).map(([name, runsOfGroup]) => ({
      name,
      runs: getStartedRuns(addTraces(runsOfGroup, objective), facts),
    }));
    const terms = { direction: 'min', target: 1, failed: 'include', stopped: 'include' } as const;
    const guardedGroups = guardGroups(groups, { ...terms, silent: 'running' });
    const { budget, results } = getResults(measure, guardedGroups);
    expect(budget).toBe(500);
    expect(results.get('a')).toMatchObject({ n: 0, value: null });
    expect(results.get('b')).toMatchObject({ n: 3, value: measure === 'ert' ? Infinity : 0 });
  },
);
