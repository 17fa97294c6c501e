import { describe, expect, test } from 'vitest';
import {
  deletablePreviews,
  deletionPlan,
  deletionTarget,
  isConfirmed,
  numberToType,
  removedRows,
  removedText,
  runnerWaitSeconds,
  type Previews,
} from '#renderer/components/deletion/deletion-plan.ts';
import type { DeletionPreview } from '#shared/schemas/experiment.ts';

function preview(experimentId: string, runningRuns = 0): DeletionPreview {
  return {
    experimentId,
    deletable: runningRuns === 0,
    runningRuns,
    runsDeleted: 2,
    runObjectivesDeleted: 3,
    iterationsDeleted: 1200,
    checkpointsDeleted: 0,
    eventsDeleted: 5,
    controlRequestsDeleted: 1,
    paramsDeleted: 7,
    artifactDirectoriesDeleted: 1,
    lockSeconds: 0.1,
    needsForce: false,
  };
}

function targetsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    experimentId: `${String(index).padStart(2, '0')}abcdef0123456789`,
    name: `experiment ${index}`,
  }));
}

test('the wait of a runner is that of the longest deletion that needs force, if any does', () => {
  const long = { ...preview('a'), lockSeconds: 11.2, needsForce: true };
  expect(runnerWaitSeconds([preview('b'), long, { ...long, lockSeconds: 4 }])).toBe(12);
  expect(runnerWaitSeconds([{ ...preview('b'), lockSeconds: 9 }])).toBeNull();
  expect(runnerWaitSeconds([])).toBeNull();
});

test('an experiment without a name is called by its short id', () => {
  const experimentId = 'ab'.repeat(32);
  expect(deletionTarget({ experimentId, runName: '  ' }).name).toBe('abababab');
  expect(deletionTarget({ experimentId, runName: 'OneMax' }).name).toBe('OneMax');
});

test('the plan keeps what runs, what is gone and what is not counted apart', () => {
  const targets = ['a', 'b', 'c', 'd'].map((experimentId) => ({
    experimentId,
    name: experimentId,
  }));
  const previews: Previews = new Map<string, DeletionPreview | 'missing'>([
    ['a', preview('a')],
    ['b', preview('b', 2)],
    ['c', 'missing'],
  ]);
  expect(deletionPlan(targets, previews)).toEqual({
    deletable: [targets[0]],
    blocked: [{ ...targets[1], runningRuns: 2 }],
    missing: [targets[2]],
    unknown: [targets[3]],
  });
});

describe('the number to type', () => {
  test('is that of the runs in all, from eleven on', () => {
    expect(numberToType(0)).toBeNull();
    expect(numberToType(10)).toBeNull();
    expect(numberToType(11)).toBe(11);
  });

  test('may have blanks around and between thousands; nothing else is taken', () => {
    expect(isConfirmed(1234, ' 1\u2009234 ')).toBe(true);
    for (const typed of ['', '123', '12345', '0x4d2']) expect(isConfirmed(1234, typed)).toBe(false);
    expect(isConfirmed(null, '')).toBe(true);
  });

  test('counts only what goes', () => {
    const targets = targetsOf(3);
    const previews = new Map(
      targets.map(({ experimentId }, index) => [experimentId, preview(experimentId, index)]),
    );
    const going = deletablePreviews(deletionPlan(targets, previews), previews);
    expect(going.map(({ experimentId }) => experimentId)).toEqual([targets[0]!.experimentId]);
  });
});

test('what goes is added up over all experiments, kinds without rows included', () => {
  const rows = removedRows([preview('a'), preview('b')]);
  expect(rows).toHaveLength(8);
  expect(rows).toContainEqual({ label: 'Iterations', count: 2400 });
  expect(rows).toContainEqual({ label: 'Checkpoints', count: 0 });
  expect(rows).toContainEqual({ label: 'Artifact directories', count: 2 });
});

test('the sentence of a deletion leaves artifacts out when there were none', () => {
  expect(removedText(preview('a'))).toBe('2 runs, 1\u2009200 iterations, 1 artifact directory');
  const bare = { ...preview('a'), runsDeleted: 1, artifactDirectoriesDeleted: 0 };
  expect(removedText(bare)).toBe('1 run, 1\u2009200 iterations');
});
