import { expect, test } from 'vitest';
import type { ComparedRun, RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { describeDifference } from '#renderer/pages/compare/differences.ts';
import { makeLeadSentences } from '#renderer/pages/compare/overlay-words.ts';

const instance = { id: 'i', label: 'onemax, length 40' };

function lead(
  runs: readonly Partial<ComparedRun>[],
  differing: RunsOverlay['parameters']['differing'] = [],
): string {
  const whole = runs.map((run, place) => ({
    runId: `r${place}`,
    experimentId: 'e1',
    instance,
    direction: 'min',
    targetFitness: null,
    solved: null,
    best: null,
    evaluationsToTarget: null,
    seed: place,
    ...run,
  }));
  const overlay = { runs: whole, parameters: { differing, equal: [] } } as unknown as RunsOverlay;
  return makeLeadSentences(overlay, (runId) => runId.toUpperCase()).join(' ');
}

test('names the run that reached the target first, or several that did so at the same time', () => {
  const solved = (evaluationsToTarget: number | null) => ({
    direction: 'max' as const,
    targetFitness: 40,
    solved: evaluationsToTarget !== null,
    evaluationsToTarget,
  });
  expect(lead([solved(1_200), solved(300), solved(null)])).toBe(
    '3 runs of 1 experiment on onemax, length 40; higher is better, the target is 40. ' +
      '2 of 3 reached the target, the first after 300 evaluations: R1. No parameters differ; only the seeds do.',
  );
  expect(lead([solved(300), solved(300)])).toContain('after 300 evaluations: R0 and R1.');
  expect(lead([solved(300), solved(300), solved(300)])).toContain(
    'after 300 evaluations: 3 runs at once.',
  );
});

test('counts the runs that reached a target among those that have one', () => {
  const solved = (targetFitness: number) =>
    ({ targetFitness, solved: true, evaluationsToTarget: 300 }) as const;
  expect(lead([solved(40), {}])).toContain(
    '1 of 1 run with a target reached it, the first after 300 evaluations: R0.',
  );
  expect(lead([solved(40), solved(30), {}])).toContain(
    '2 of 2 runs with a target reached theirs, the first after',
  );
});

test('names the best run in the direction if no run has reached a target, or no run has one', () => {
  expect(lead([{ best: 3 }, { best: 0.5 }])).toContain('The best fitness is 0.5, reached by R1.');
  const missed = { targetFitness: 0, solved: false };
  expect(lead([{ ...missed, best: 3 }, missed])).toContain(
    'No run has reached its target. The best fitness is 3, reached by R0.',
  );
});

test('claims nothing over several instances, directions or runs without results', () => {
  const elsewhere = { id: 'j', label: 'sphere, dimension 5' };
  expect(lead([{ best: 1 }, { best: 2, instance: elsewhere, experimentId: 'e2' }])).toBe(
    '2 runs of 2 experiments on 2 problem instances; lower is better. No parameters differ; only the seeds do.',
  );
  expect(lead([{ best: 1 }, { best: 2, direction: 'max' }])).not.toContain('The best');
  expect(lead([{}, { seed: 0 }])).toBe(
    '2 runs of 1 experiment on onemax, length 40; lower is better. No parameters differ.',
  );
});

test('names the parameters that differ, not those that only name a run', () => {
  const parameter = (path: string) => ({ path, isIncidental: path === 'run.name', values: [] });
  expect(lead([{}, {}], ['a', 'run.name'].map(parameter))).toContain('1 parameter differs: a.');
  expect(lead([{}, {}], ['a', 'b', 'c', 'd', 'e'].map(parameter))).toContain(
    '5 parameters differ: a, b, c and 2 more.',
  );
});

test('a difference has a sign, and a difference of fitness states whether it is better', () => {
  const difference = {
    best: -2.5,
    evaluations: 1_200,
    iterations: 0,
    runtimeMillis: -1_500,
    evaluationsToTarget: null,
  };
  const words = (measure: keyof typeof difference, direction: 'min' | 'max' = 'min') =>
    describeDifference({ difference, direction }, measure);
  expect(words('best')).toBe('−2.5, better');
  expect(words('best', 'max')).toBe('−2.5, worse');
  expect(words('evaluations')).toBe('+1\u2009200');
  expect(words('iterations')).toBe('the same');
  expect(words('runtimeMillis')).toBe('−1.5 s');
  expect(words('evaluationsToTarget')).toBe('');
});
