import { describe, expect, test } from 'vitest';
import {
  addDisplayNames,
  compareNumbersThenTexts,
  getVaryingParams,
  resolveGrouping,
} from '#server/analysis/groups.ts';
import { getConfigurationId } from '#server/domain/problem-instance.ts';
import { Annotations } from '#server/records/annotations.ts';
import { compare } from './compare.ts';
import { makeExperiment, makeRun, type RunWithIterations } from './sample-runs.ts';

describe('Groups by a parameter', () => {
  /** Returns an experiment of an algorithm with parameters, always on the same instance. */
  function makeConfigured(id: string, algorithm: string, params: Record<string, unknown>) {
    const configJson = JSON.stringify({
      problem: { type: 'onemax', params: {} },
      representation: { type: 'bitstring', params: { length: 40 } },
      algorithm: { type: algorithm, params },
      stopping: { maxEvaluations: 1_000 + id.length },
    });
    return makeExperiment(id, algorithm, 40, {
      configJson,
      configurationId: getConfigurationId(configJson),
    });
  }

  /** Returns twelve runs that reach 40 after `firstHit` evaluations, and one evaluation later each. */
  const getRuns = (experimentId: string, firstHit: number): RunWithIterations[] =>
    Array.from({ length: 12 }, (_, index) =>
      makeRun(
        `${experimentId}-${index}`,
        [
          [5, 20],
          [firstHit + index, 40],
        ],
        { experimentId, bestFitness: 40 },
      ),
    );

  const experiments = [
    makeConfigured('u200', 'umda', { populationSize: 200 }),
    makeConfigured('u50', 'umda', { populationSize: 50 }),
    makeConfigured('u25', 'umda', { populationSize: 25 }),
    makeConfigured('p50', 'pbil', { populationSize: 50, password: 'hunter2' }),
    makeConfigured('p100', 'pbil', { populationSize: 100 }),
    makeConfigured('p', 'pbil', {}),
  ];
  const runs = [
    ...getRuns('u200', 900),
    ...getRuns('u50', 500),
    ...getRuns('u25', 100),
    ...getRuns('p50', 300),
    ...getRuns('p100', 302),
    ...getRuns('p', 304),
  ];
  const comparison = compare({ experiments, runs, groupBy: 'param:algorithm.populationSize' });

  describe('param groupings', () => {
    test('are the values in each algorithm, in order of their numbers, with experiments without it last', () => {
      expect(comparison.algorithms.map(({ label }) => label)).toEqual([
        'pbil, populationSize = 50',
        'pbil, populationSize = 100',
        'pbil, populationSize not set',
        'umda, populationSize = 25',
        'umda, populationSize = 50',
        'umda, populationSize = 200',
      ]);
      expect(comparison.algorithms[0]?.algorithm).toBe('pbil, algorithm.populationSize = 50');
    });

    test('are tested inside each algorithm only, and adjusted over these pairs', () => {
      const pairs = comparison.guard.pairs.map(({ a, b }) =>
        [a, b].map((name) => name.slice(0, 4)),
      );
      expect(pairs).toHaveLength(6);
      expect(pairs.every(([a, b]) => a === b)).toBe(true);
      const { pValue, adjustedPValue } = comparison.guard.pairs.at(-1)!;
      // Holm over six pairs, three of which have this p-value.
      expect(adjustedPValue! / pValue!).toBeCloseTo(6, 6);
      expect(comparison.friedman.ranks).toEqual([]);
      expect(comparison.kruskalWallis).toBeNull();
      expect(comparison.notes.map(({ code }) => code)).toContain('TESTED_WITHIN_ALGORITHMS');
    });

    test('lead to a best value of each algorithm', () => {
      expect(comparison.verdict[0]?.text).toMatch(
        /^umda, populationSize = 25 is the best of 3 on runtime: better than each of the others of its algorithm, /,
      );
      expect(
        comparison.algorithms.find(({ label }) => label === 'umda, populationSize = 25')?.bestOn,
      ).toContain('runtime');
    });

    test('of one algorithm are labelled by the value alone, and ranked', () => {
      const umdaComparison = compare({
        experiments,
        runs,
        algorithms: ['umda'],
        groupBy: 'param:algorithm.populationSize',
      });
      expect(umdaComparison.algorithms.map(({ label }) => label)).toEqual([
        'populationSize = 25',
        'populationSize = 50',
        'populationSize = 200',
      ]);
      expect(umdaComparison.friedman.ranks).toHaveLength(3);
      expect(umdaComparison.notes.map(({ code }) => code)).not.toContain(
        'TESTED_WITHIN_ALGORITHMS',
      );
    });

    test('pool the other parameters and test over configurations', () => {
      const pooledComparison = compare({
        experiments: [
          makeConfigured('a', 'umda', { populationSize: 50, ratio: 0.2 }),
          makeConfigured('b', 'umda', { populationSize: 50, ratio: 0.4 }),
          makeConfigured('c', 'umda', { populationSize: 25, ratio: 0.2 }),
          makeConfigured('d', 'umda', { populationSize: 25, ratio: 0.4 }),
        ],
        runs: ['a', 'b', 'c', 'd'].flatMap((id, index) => getRuns(id, 100 + 100 * index)),
        groupBy: 'param:algorithm.populationSize',
      });
      expect(pooledComparison.guard.pairs[0]?.reason?.code).toBe('TOO_FEW_CONFIGURATIONS');
    });
  });

  test('parameters that differ inside an algorithm are listed, without budgets and types', () => {
    expect(getVaryingParams(experiments)).toEqual([
      'algorithm.password',
      'algorithm.populationSize',
    ]);
    expect(getVaryingParams([experiments[0]!, experiments[3]!])).toEqual([]);
    expect(getVaryingParams([])).toEqual([]);
  });

  test('a secret value is masked in the name of its group', () => {
    const secretComparison = compare({ experiments, runs, groupBy: 'param:algorithm.password' });
    const names = JSON.stringify(secretComparison.algorithms);
    expect(names).toContain('pbil, password = ');
    expect(names).not.toContain('hunter2');
  });

  describe('resolveGrouping', () => {
    const scope = {
      experiments: new Map(
        experiments.map((umdaComparison) => [umdaComparison.experimentId, umdaComparison]),
      ),
      selectedInstance: { ...comparison.instances[0]!, id: experiments[0]!.instance.id },
    };

    test('completes the last key of a path', () => {
      expect(resolveGrouping('param:populationSize', scope)).toBe('param:algorithm.populationSize');
      expect(resolveGrouping('param:algorithm.populationSize', scope)).toBe(
        'param:algorithm.populationSize',
      );
      expect(resolveGrouping('model', scope)).toBe('model');
    });

    test('rejects a parameter that no experiment has, and a key of several', () => {
      expect(() => resolveGrouping('param:nothing', scope)).toThrow(
        'groupBy names the unknown parameter "nothing": give a parameter of an experiment on this instance',
      );
      expect(() => resolveGrouping('param:type', scope)).toThrow(
        'groupBy names several parameters by "type": give one of algorithm.type, problem.type, representation.type',
      );
    });
  });
});

describe('Display names of groups', () => {
  const makeDocument = (kind: string, id: string, value: object) => ({
    kind,
    id,
    version: '1',
    value,
  });

  const experiments = [
    makeExperiment('e1', 'umda', 40, { configurationId: 'abcdef012345' }),
    makeExperiment('e2', 'pbil', 40, { configurationId: '987654fedcba' }),
  ];

  function getGroupNames(...documents: ReturnType<typeof makeDocument>[]) {
    return addDisplayNames(experiments, new Annotations(documents)).map(
      ({ groupLabels }) => groupLabels,
    );
  }

  test('experiments without any annotation stay as they are', () => {
    expect(addDisplayNames(experiments, new Annotations([]))).toEqual(experiments);
    expect(getGroupNames(makeDocument('run', 'e1', { displayName: 'of a run' }))).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('a configuration without a name has the name of its algorithm', () => {
    expect(getGroupNames(makeDocument('algorithm', 'umda', { displayName: 'UMDA' }))[0]).toEqual({
      algorithm: { label: 'UMDA', isBaseline: false },
      configuration: { label: 'UMDA (abcdef)', isBaseline: false },
    });
  });

  test('an experiment is named by its own annotation, and a mark alone does not change the stored label', () => {
    const [firstHit, secondNames] = getGroupNames(
      makeDocument('experiment', 'e1', { displayName: 'Main' }),
      makeDocument('algorithm', 'pbil', { isBaseline: true }),
    );
    expect(firstHit).toEqual({ experiment: { label: 'Main', isBaseline: false } });
    expect(secondNames).toEqual({ algorithm: { label: 'pbil', isBaseline: true } });
  });

  test('a name that is the stored name of another group shows which group it is', () => {
    const [firstHit, secondNames] = getGroupNames(
      makeDocument('algorithm', 'umda', { displayName: 'pbil' }),
    );
    expect(firstHit?.algorithm?.label).toBe('pbil (umda)');
    expect(secondNames?.algorithm).toBeUndefined();
  });

  test('an invalid document, of another version of the program, names nothing', () => {
    expect(getGroupNames(makeDocument('algorithm', 'umda', { displayName: 7 }))).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('compareNumbersThenTexts', () => {
  test('orders values in the same way from any initial order: numbers, texts, missing ones', () => {
    const sorted = ['-1', '2.5', '9', '10', '0x1', '1a', 'x', null];
    for (let shift = 0; shift < sorted.length; shift += 1) {
      const values = [...sorted.slice(shift), ...sorted.slice(0, shift)];
      expect(values.toSorted(compareNumbersThenTexts)).toEqual(sorted);
      expect(values.toReversed().sort(compareNumbersThenTexts)).toEqual(sorted);
    }
  });
});
