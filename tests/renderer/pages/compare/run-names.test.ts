import { expect, test } from 'vitest';
import {
  getNamesByResult,
  makeRunLooks,
  makeRunNames,
  getRunPlaces,
} from '#renderer/pages/compare/run-names.ts';

const run = (runId: string, experimentId: string, algorithmType: string, seed: number | null) => ({
  runId,
  experimentId,
  algorithmType,
  seed,
});
const parameter = (path: string, ...values: (string | null)[]) => ({
  path,
  isIncidental: path.startsWith('run.'),
  values,
});

test('a run is called by its algorithm and its seed', () => {
  const runs = [run('a', 'e1', 'umda', 1), run('b', 'e2', 'pbil', 1), run('c', 'e2', 'pbil', null)];
  const type = parameter('algorithm.type', 'umda', 'pbil', 'pbil');
  expect(makeRunNames(runs, [type])).toEqual(['umda, seed 1', 'pbil, seed 1', 'pbil']);
});

test('a run that a user named is called so, with its id where two have one name', () => {
  const named = (id: string) => ({ ...run(id, 'e1', 'umda', 1), displayName: 'Figure 3' });
  expect(makeRunNames([named('a'), run('b', 'e1', 'umda', 2)], [])).toEqual([
    'Figure 3',
    'umda, seed 2',
  ]);
  expect(makeRunNames([named('a'), named('b')], [])).toEqual(['Figure 3, a', 'Figure 3, b']);
});

test('names of experiments with one algorithm contain only the parameters that distinguish them', () => {
  const runs = [run('a', 'e1', 'umda', 1), run('b', 'e2', 'umda', 1), run('c', 'e1', 'umda', 2)];
  const differing = [
    parameter('run.name', 'x', 'y', 'x'),
    parameter('model.matrix', '['.repeat(90), '[', '['.repeat(90)),
    parameter('algorithm.populationSize', '50', null, '50'),
    parameter('algorithm.selectionRatio', '0.3', '0.5', '0.3'),
  ];
  expect(makeRunNames(runs, differing)).toEqual([
    'umda, populationSize 50, seed 1',
    'umda, populationSize none, seed 1',
    'umda, populationSize 50, seed 2',
  ]);
});

test('names of runs that do not differ contain ids, complete ones if the short ones are equal', () => {
  const long = 'f'.repeat(63);
  const runs = [`${long}1`, `${long}2`, 'short'].map((id) => run(id, 'e1', 'umda', 7));
  expect(makeRunNames(runs, [])).toEqual([
    `umda, seed 7, ${long}1`,
    `umda, seed 7, ${long}2`,
    'umda, seed 7, short',
  ]);
});

test('runs of one experiment share a colour while there are looks enough', () => {
  const of = (...experiments: string[]) => experiments.map((experimentId) => ({ experimentId }));
  expect(getRunPlaces(of('e1', 'e2', 'e1', 'e2', 'e1'))).toEqual([0, 1, 8, 9, 16]);
  expect(getRunPlaces(of('e1', 'e1', 'e1'))).toEqual([0, 1, 2]);
  expect(getRunPlaces(of('e2', ...Array.from({ length: 9 }, () => 'e1')))[9]).toBe(9);
});

test('of more runs than colours only the emphasised ones have one', () => {
  const runs = Array.from({ length: 12 }, (_, index) => run(`r${index}`, 'e1', 'umda', index));
  const names = runs.map(({ runId }) => `name of ${runId}`);
  const looks = makeRunLooks(runs, names, ['name of r2', 'name of r10']);
  expect(looks.get('r2')).toEqual({ name: 'name of r2', paletteIndex: 2 });
  expect(looks.get('r10')?.paletteIndex).toBe(3);
  expect(looks.get('r3')?.paletteIndex).toBe(-1);
  expect(makeRunLooks(runs, names, null).get('r3')?.paletteIndex).toBe(3);
});

test('names come by result: the reference, then what reached the target first, then by best fitness', () => {
  const result = (runId: string, best: number | null, evaluationsToTarget: number | null) => ({
    runId,
    best,
    evaluationsToTarget,
    direction: 'max' as const,
  });
  const runs = [
    result('none', null, null),
    result('slow', 40, 900),
    result('low', 12, null),
    result('fast', 40, 100),
    result('high', 39, null),
  ];
  const names = runs.map(({ runId }) => runId);
  expect(getNamesByResult(runs, names, null)).toEqual(['fast', 'slow', 'high', 'low', 'none']);
  expect(getNamesByResult(runs, names, 'low')[0]).toBe('low');
});
