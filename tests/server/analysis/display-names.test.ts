import { expect, test } from 'vitest';
import { withDisplayNames } from '#server/analysis/display-names.ts';
import { Annotations } from '#server/records/annotations.ts';
import { makeExperiment } from './sample-runs.ts';

const named = (kind: string, id: string, value: object) => ({ kind, id, version: '1', value });

const experiments = [
  makeExperiment('e1', 'umda', 40, { configurationId: 'abcdef012345' }),
  makeExperiment('e2', 'pbil', 40, { configurationId: '987654fedcba' }),
];

function shownBy(...documents: ReturnType<typeof named>[]) {
  return withDisplayNames(experiments, new Annotations(documents)).map(({ shown }) => shown);
}

test('experiments without any annotation stay as they are', () => {
  expect(withDisplayNames(experiments, new Annotations([]))).toEqual(experiments);
  expect(shownBy(named('run', 'e1', { displayName: 'of a run' }))).toEqual([undefined, undefined]);
});

test('a configuration without a name is called by the name of its algorithm', () => {
  expect(shownBy(named('algorithm', 'umda', { displayName: 'UMDA' }))[0]).toEqual({
    algorithm: { label: 'UMDA', isBaseline: false },
    configuration: { label: 'UMDA (abcdef)', isBaseline: false },
  });
});

test('an experiment is named by its own annotation, and a mark alone keeps the stored label', () => {
  const [first, second] = shownBy(
    named('experiment', 'e1', { displayName: 'Main' }),
    named('algorithm', 'pbil', { isBaseline: true }),
  );
  expect(first).toEqual({ experiment: { label: 'Main', isBaseline: false } });
  expect(second).toEqual({ algorithm: { label: 'pbil', isBaseline: true } });
});

test('a name that is the stored name of another group shows which group it is', () => {
  const [first, second] = shownBy(named('algorithm', 'umda', { displayName: 'pbil' }));
  expect(first?.algorithm?.label).toBe('pbil (umda)');
  expect(second?.algorithm).toBeUndefined();
});

test('a document that does not fit, of another version of the program, names nothing', () => {
  expect(shownBy(named('algorithm', 'umda', { displayName: 7 }))).toEqual([undefined, undefined]);
});
