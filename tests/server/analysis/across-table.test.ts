import { describe, expect, test } from 'vitest';
import { csvTable } from '#server/formats/csv-table.ts';
import { acrossCell } from '#shared/schemas/analysis-across.ts';
import { ertResult, fitnessResult, successResult } from '#server/analysis/across-results.ts';
import {
  acrossTable,
  isComparable,
  isShared,
  type GroupResult,
  type InstanceResults,
} from '#server/analysis/across-table.ts';
import { outcomesOf } from '#server/analysis/outcomes.ts';
import { expectAllClose, expectClose, loadOracle } from '#tests/server/stats/oracle.ts';
import { makeObjective, makeRun, traced } from './sample-runs.ts';

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

const objective = makeObjective('min', 1);

function resultOf(cell: Case['cell'], sample: number[] | RunSample | undefined): GroupResult {
  if (cell === 'median' || cell === 'mean') return fitnessResult(cell, (sample ?? []) as number[]);
  const { evaluations, success } = (sample ?? { evaluations: [], success: [] }) as RunSample;
  const runs = traced(
    evaluations.map((spent, index) =>
      makeRun(`r${index}`, [[spent, success[index] === true ? 1 : 5]]),
    ),
    objective,
  );
  const group = { name: '', runs, outcomes: outcomesOf(runs, objective) };
  return cell === 'ert' ? ertResult(group) : successResult(group);
}

const directionOf = { ert: 'min', success: 'max' } as const;
const worstOf = { ert: Infinity, success: 0, median: null, mean: null } as const;

function instancesOf({ cell, groups, instances }: Case): InstanceResults[] {
  return instances.map(({ name, direction, samples }) => ({
    instance: name,
    direction: cell === 'median' || cell === 'mean' ? direction : directionOf[cell],
    worst: worstOf[cell],
    results: groups.map((group) => resultOf(cell, samples[group])),
  }));
}

describe('the table of groups and instances agrees with the reference', () => {
  const { cases } = loadOracle('across') as { cases: Case[] };

  test.each(cases)('$name', (one) => {
    const { groups, expected } = one;
    const all = instancesOf(one);
    const used = all.filter(isComparable);
    expect(used.map(({ instance }) => instance)).toEqual(
      expected.instances.filter((instance) => instance.used).map(({ name }) => name),
    );
    const control = one.control === null ? null : groups.indexOf(one.control);
    const table = acrossTable(groups, used, control);
    for (const [place, instance] of used.entries()) {
      const cells = table.cells.slice(place * groups.length, (place + 1) * groups.length);
      expectCells(
        cells,
        instance,
        expected.instances.find(({ name }) => name === instance.instance)!,
      );
    }
    expectSummary(table, groups, expected);
  });
});

type Table = ReturnType<typeof acrossTable>;

function expectCells(
  cells: Table['cells'],
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
    const tested = expected.versus_best?.find((one) => one.group === group);
    expectClose(cell.pVersusBest, tested?.p_holm ?? null);
    expect(cell.indistinguishable).toBe(tested?.not_distinguishable ?? null);
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
  const isPlainF = friedman.exactPValue === null && omnibus !== null;
  expectClose(friedman.imanDavenport?.statistic ?? null, isPlainF ? omnibus.iman_davenport : null);
  expectClose(friedman.imanDavenport?.pValue ?? null, isPlainF ? omnibus.iman_davenport_p : null);
  expectClose(friedman.criticalDifference, expected.cd05, 1e-10);
  expect(versusControl?.map(({ group }) => group)).toEqual(
    expected.control?.versus.map(({ group }) => group),
  );
  for (const [index, one] of expected.control?.versus.entries() ?? []) {
    const actual = versusControl?.[index];
    expectAllClose(
      [actual?.z, actual?.pValue, actual?.holmAdjustedPValue],
      [one.z, one.p, one.p_holm],
    );
  }
  const pairs = expected.signed_rank;
  const figures = [signedRank?.n, signedRank?.zeros, signedRank?.wPlus, signedRank?.wMinus];
  expect(figures).toEqual([pairs?.n, pairs?.zeros, pairs?.w_plus, pairs?.w_minus]);
  const isExact = (pairs?.n ?? 0) < 50;
  expectClose(signedRank?.pValue, isExact ? pairs?.p_exact_conditional : pairs?.p);
}

test('an infinite cell keeps its sign, on the wire and in CSV', () => {
  const results = [-Infinity, 2, Infinity].map((value) => ({ n: 1, value, tested: [value] }));
  const instance = { instance: 'i', direction: 'min' as const, worst: null, results };
  const { cells } = acrossTable(['a', 'b', 'c'], [instance], null);
  expect(cells.map(({ value, infinity, best }) => [value, infinity, best])).toEqual([
    [null, -1, true],
    [2, null, false],
    [null, 1, false],
  ]);
  const table = csvTable(acrossCell.array(), [], {});
  const values = Array.from(table.rowsOf(cells), (row) => row[table.headings.indexOf('value')]);
  expect(values).toEqual([-Infinity, 2, Infinity]);
});
