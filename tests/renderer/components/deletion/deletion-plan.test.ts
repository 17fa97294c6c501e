import { describe, expect, test } from 'vitest';
import {
  confirmationOf,
  deletionPlan,
  deletionTarget,
  isConfirmed,
  removedRows,
  removedText,
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
  };
}

function targetsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    experimentId: `${String(index).padStart(2, '0')}abcdef0123456789`,
    name: `experiment ${index}`,
  }));
}

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

describe('the confirmation', () => {
  test('of a single experiment is the beginning of its id', () => {
    expect(confirmationOf(1, targetsOf(1))?.expected).toBe('00abcdef');
    expect(confirmationOf(3, targetsOf(1))?.expected).toBe('00abcdef');
  });

  test('of two to ten is the button', () => {
    expect(confirmationOf(2, targetsOf(2))).toBeNull();
    expect(confirmationOf(10, targetsOf(10))).toBeNull();
  });

  test('of more than ten is the number of those that go', () => {
    expect(confirmationOf(11, targetsOf(11))?.expected).toBe('11');
    expect(confirmationOf(12, targetsOf(9))?.expected).toBe('9');
  });

  test('takes the text in any case, with blanks around, and nothing else', () => {
    const confirmation = confirmationOf(1, targetsOf(1));
    expect(isConfirmed(confirmation, ' 00ABCDEF ')).toBe(true);
    for (const typed of ['', '00abcde', '00abcdef0']) {
      expect(isConfirmed(confirmation, typed)).toBe(false);
    }
    expect(isConfirmed(null, '')).toBe(true);
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
