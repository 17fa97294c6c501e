import { describe, expect, test } from 'vitest';
import { getStartedRuns } from '#server/analysis/guard-comparison.ts';
import { sampleGroup, getValuesWithin, type GuardTerms } from '#server/domain/claims/guard.ts';
import {
  type FamilyPair,
  adjustByHolm,
  type UnadjustedPair,
  makeRankSumPairs,
  makeSuccessPair,
} from '#server/stats/pairwise-tests.ts';
import { expectClose, loadOracle } from '#tests/server/stats/oracle.ts';
import { makeObjective, makeRun, addTraces } from './sample-runs.ts';

interface OracleRun {
  status: string;
  t: number | null;
}

interface RuntimeOracle {
  cases: {
    name: string;
    groups: { name: string; runs: OracleRun[] }[];
    testable_pairs: number;
    pairs: {
      a: string;
      b: string;
      n_a: number;
      n_b: number;
      left_out_a: number;
      left_out_b: number;
      p: number | null;
      method: 'exact' | 'asymptotic' | null;
      a12: number | null;
      lower: number | null;
      upper: number | null;
      magnitude: string | null;
      better: string | null;
      shift: number | null;
      p_holm: number | null;
      significant_at_05: boolean | null;
      attainable_given_ties: number | null;
      success: {
        n_a: number;
        n_b: number;
        p: number | null;
        difference: number | null;
        lower: number | null;
        upper: number | null;
        p_holm: number | null;
      };
    }[];
  }[];
}

describe('of runs with a target, runtime and success agree with the reference', () => {
  const { cases } = loadOracle('runtime_tests') as RuntimeOracle;

  test.each(cases)('$name', ({ groups, pairs }) => {
    const isUnreached = ({ status, t }: OracleRun) => status === 'RUNNING' && t === null;
    const samples = groups.map(({ name, runs }) => ({
      name,
      sample: runs.filter((run) => !isUnreached(run)).map(({ t }) => t ?? Infinity),
      isCensored: runs.some(({ t }) => t === null),
    }));
    const rates = samples.map(({ name, sample }) => ({
      name,
      successes: sample.filter(Number.isFinite).length,
      trials: sample.length,
    }));
    const runtime = makeRankSumPairs(samples, 'min');
    const unadjustedPairs = rates.flatMap((a, index) =>
      rates.slice(index + 1).map((b) => makeSuccessPair(a, b)),
    );
    const adjustedPValues = adjustByHolm(unadjustedPairs.map(({ pValue }) => pValue));
    const success = unadjustedPairs.map((pair, index) => ({
      ...pair,
      holmAdjustedPValue: adjustedPValues[index] ?? null,
    }));
    expect(runtime).toHaveLength(pairs.length);
    for (const [index, expected] of pairs.entries()) {
      expectRuntime(runtime[index]!, expected);
      expectSuccess(success[index]!, expected.success);
    }
  });
});

type ExpectedPair = RuntimeOracle['cases'][number]['pairs'][number];

function expectRuntime(pair: FamilyPair, expected: ExpectedPair): void {
  expect([pair.a, pair.b, pair.nA, pair.nB]).toEqual([
    expected.a,
    expected.b,
    expected.n_a,
    expected.n_b,
  ]);
  expectClose(pair.pValue, expected.p);
  expectClose(pair.holmAdjustedPValue, expected.p_holm);
  expectClose(pair.effectSize, expected.a12);
  expectInterval(pair.effectInterval, expected.lower, expected.upper);
  expect(pair.method).toBe(expected.method);
  expect(pair.effectLabel).toBe(expected.magnitude);
  expect(pair.better).toBe(expected.better ?? 'none');
  expect(pair.significant).toBe(expected.significant_at_05 ?? false);
  expectClose(pair.shift, expected.shift);
  if (expected.attainable_given_ties !== null) {
    expectClose(pair.attainablePValue, expected.attainable_given_ties);
  }
}

function expectSuccess(
  pair: UnadjustedPair & { holmAdjustedPValue: number | null },
  expected: ExpectedPair['success'],
): void {
  expect([pair.nA, pair.nB]).toEqual([expected.n_a, expected.n_b]);
  expectClose(pair.pValue, expected.p);
  // The file gives an adjusted p-value to two pairs that have none to adjust.
  expectClose(pair.holmAdjustedPValue, expected.p === null ? null : expected.p_holm);
  expectClose(pair.difference, expected.difference);
  expectInterval(pair.differenceInterval, expected.lower, expected.upper);
}

function expectInterval(
  interval: { lower: number; upper: number } | null,
  lower: number | null,
  upper: number | null,
): void {
  if (lower === null || upper === null) {
    expect(interval).toBeNull();
    return;
  }
  expect(Math.abs((interval?.lower ?? NaN) - lower)).toBeLessThanOrEqual(1e-12);
  expect(Math.abs((interval?.upper ?? NaN) - upper)).toBeLessThanOrEqual(1e-12);
}

interface AnytimeOracle {
  cases: {
    name: string;
    kind?: 'groups';
    direction: 'min' | 'max';
    source: Record<string, { case: number }>;
    target: number | null;
    levels: number[];
    values: Record<string, number[]>;
    pairs: {
      a: string;
      b: string;
      p: number;
      a12: number;
      lower: number | null;
      upper: number | null;
      magnitude: string;
      shift: number;
      better: string;
      p_holm: number;
    }[];
  }[];
}

describe('the anytime performance of real optimizers agrees with the reference', () => {
  const { cases } = loadOracle('anytime') as AnytimeOracle;
  const trajectories = loadOracle('coco-real-trajectories') as {
    cases: { runs: [number, number][][] }[];
  };

  test.each(cases.filter(({ kind }) => kind === 'groups'))('$name', (expected) => {
    const objective = makeObjective(expected.direction, expected.target);
    const groups = Object.entries(expected.source).map(([name, source]) => ({
      name,
      runs: trajectories.cases[source.case]!.runs.map((trace, index) =>
        makeRun(`${name}-${index}`, trace),
      ),
    }));
    const analysedGroups = groups.map(({ name, runs }) => ({
      name,
      runs: addTraces(runs, objective),
    }));
    const budget = Math.min(
      ...analysedGroups.map(({ runs }) =>
        Math.max(...runs.map(({ trace }) => trace.usedEvaluations)),
      ),
    );
    const terms: GuardTerms = {
      direction: expected.direction,
      target: expected.target,
      failed: 'include',
      stopped: 'include',
      silent: 'running',
    };
    const facts = { experiments: new Map(), silentIds: new Set<string>(), objective };
    const samples = analysedGroups.map(({ name, runs }) => {
      const sampledRuns = sampleGroup({ name, runs: getStartedRuns(runs, facts) }, terms).runs;
      const values = new Map(
        sampledRuns.map((run) => [run.runId, getValuesWithin(run, budget, terms, expected.levels)]),
      );
      return { name, sample: runs.map(({ runId }) => values.get(runId)?.anytime ?? NaN) };
    });
    for (const { name, sample } of samples) {
      expect(sample).toHaveLength(expected.values[name]!.length);
      for (const [index, value] of expected.values[name]!.entries()) {
        expect(Math.abs(sample[index]! - value)).toBeLessThanOrEqual(1e-12);
      }
    }
    const anytimePairs = makeRankSumPairs(samples, 'max');
    for (const [index, { lower, upper, ...pair }] of expected.pairs.entries()) {
      const actual = anytimePairs[index]!;
      expect(actual).toMatchObject({ a: pair.a, b: pair.b, effectLabel: pair.magnitude });
      expect(actual.better).toBe(pair.better);
      expectClose(actual.pValue, pair.p);
      expectClose(actual.holmAdjustedPValue, pair.p_holm);
      expectClose(actual.effectSize, pair.a12);
      expectInterval(actual.effectInterval, lower, upper);
      expect(Math.abs((actual.shift ?? NaN) - pair.shift)).toBeLessThanOrEqual(1e-12);
    }
  });
});
