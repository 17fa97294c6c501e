import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getLevels, getOutcomesAt } from '#server/domain/outcome.ts';
import { makeTargetEcdfs } from '#server/analysis/curves.ts';
import { computeEcdfOfAllRuns } from '#server/stats/ecdf.ts';
import { makeObjective, makeRun, addTraces } from './sample-runs.ts';

const maximisation = makeObjective('max', 40);
const runs = addTraces(
  [
    makeRun('r1', [
      [10, 20],
      [30, 40],
    ]),
    makeRun('r2', [
      [20, 30],
      [50, 35],
    ]),
  ],
  maximisation,
);

test('pairs of a run and a target are counted, and pairs that are never reached stay in the denominator', () => {
  const { targets, targetsSource, ecdfTargets } = makeTargetEcdfs(
    [{ name: 'a', runs }],
    maximisation,
    [40, 30, 20],
  );
  expect([targets, targetsSource]).toEqual([[40, 30, 20], 'query']);
  expect(ecdfTargets).toEqual([
    {
      name: 'a',
      pairs: 6,
      solvedPairs: 5,
      points: [
        { x: 10, y: 1 / 6 },
        { x: 20, y: 3 / 6 },
        { x: 30, y: 5 / 6 },
      ],
      crossAt: 50,
    },
  ]);
});

test('a run without evaluations is counted, but does not pull the cross to 0', () => {
  const idleRuns = addTraces(
    [makeRun('idle', [], { status: 'FAILED', evaluations: 0 })],
    maximisation,
  );
  const { ecdfTargets } = makeTargetEcdfs(
    [{ name: 'a', runs: [...runs, ...idleRuns] }],
    maximisation,
    [40],
  );
  expect(ecdfTargets[0]).toMatchObject({ pairs: 3, solvedPairs: 1, crossAt: 50 });
});

test('without requested targets, the targets are values that runs attained at the levels, each of them once', () => {
  const ecdfs = makeTargetEcdfs(
    [
      { name: 'a', runs },
      { name: 'none', runs: [] },
    ],
    maximisation,
    [],
  );
  expect(ecdfs.targetsSource).toBe('levels');
  // Five of the six levels lie between 35 and 40, which only a run with 40 reaches.
  expect(getLevels(runs, maximisation).filter((level) => level > 35)).toHaveLength(6);
  expect(ecdfs.targets).toEqual([40]);
  expect(ecdfs.ecdfTargets[0]).toMatchObject({ pairs: 2, solvedPairs: 1 });
  expect(ecdfs.ecdfTargets[1]).toMatchObject({ pairs: 0, points: [], crossAt: null });
});

test('a level that no run attained stays a target', () => {
  const farObjective = makeObjective('max', 1_000);
  const { targets } = makeTargetEcdfs([{ name: 'a', runs }], farObjective, []);
  expect(targets).toEqual([...new Set(getLevels(runs, farObjective))].sort((a, b) => b - a));
});

const iterations = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.option(fc.integer({ min: -5, max: 5 }))), {
    maxLength: 6,
  })
  .map((steps) => {
    let evaluations = 0;
    return steps.map(([more, fitness]): [number, number | null] => [
      (evaluations += more),
      fitness,
    ]);
  });
const anyRun = fc.record({
  iterations,
  evaluations: fc.option(fc.integer({ min: 0, max: 60 })),
  bestFitness: fc.option(fc.oneof(fc.integer({ min: -6, max: 6 }), fc.constant(Infinity))),
  status: fc.constantFrom('COMPLETED', 'RUNNING', 'FAILED'),
});

test('the curve equals the one computed separately for each run and target, for any runs and targets', () => {
  fc.assert(
    fc.property(
      fc.array(anyRun, { maxLength: 8 }),
      fc.uniqueArray(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('min' as const, 'max' as const),
      (runFields, targets, direction) => {
        const objective = makeObjective(direction, null);
        const tracedRuns = addTraces(
          runFields.map(({ iterations: points, ...fields }, index) =>
            makeRun(`r${index}`, points, fields),
          ),
          objective,
        );
        const times = targets.flatMap((target) =>
          getOutcomesAt(tracedRuns, target, objective).map(
            ({ evaluationsToTarget }) => evaluationsToTarget,
          ),
        );
        const [curve] = makeTargetEcdfs(
          [{ name: 'a', runs: tracedRuns }],
          objective,
          targets,
        ).ecdfTargets;
        expect(curve?.points).toEqual(computeEcdfOfAllRuns(times));
        expect(curve?.pairs).toBe(tracedRuns.length * targets.length);
        expect(curve?.solvedPairs).toBe(times.filter((time) => time !== null).length);
      },
    ),
  );
});
