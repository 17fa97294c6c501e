import { describe, expect, test } from 'vitest';
import {
  getPreviewsOf,
  makeDeletionPlan,
  isConfirmed,
  getNumberToType,
  makeRemovedRows,
  formatRemoved,
  getRunnerWaitSeconds,
  type Preview,
  type Previews,
} from '#renderer/features/stop-and-delete/deletion-plan.ts';
import {
  type DeletionTarget,
  getExperimentTarget,
  formatTargets,
} from '#renderer/features/stop-and-delete/targets.ts';

function preview(runningRuns = 0): Preview {
  return {
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
    annotationsDeleted: 0,
    lockSeconds: 0.1,
    needsForce: false,
    countsKey: 'k',
  };
}

function getTargets(count: number): DeletionTarget[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'experiment',
    id: `${String(index).padStart(2, '0')}abcdef0123456789`,
    name: `experiment ${index}`,
  }));
}

test('getRunnerWaitSeconds returns the longest wait among deletions that need force', () => {
  const long = { ...preview(), lockSeconds: 11.2, needsForce: true };
  expect(getRunnerWaitSeconds([preview(), long, { ...long, lockSeconds: 4 }])).toBe(12);
  expect(getRunnerWaitSeconds([{ ...preview(), lockSeconds: 9 }])).toBeNull();
  expect(getRunnerWaitSeconds([])).toBeNull();
});

test('getExperimentTarget uses the short id of an experiment without a name', () => {
  const experimentId = 'ab'.repeat(32);
  expect(getExperimentTarget({ experimentId, runName: '  ' }).name).toBe('abababab');
  expect(getExperimentTarget({ experimentId, runName: 'OneMax' }).name).toBe('OneMax');
});

test('makeDeletionPlan separates blocked, missing and uncounted targets', () => {
  const targets = ['a', 'b', 'c', 'd'].map((id) => ({
    kind: 'experiment' as const,
    id,
    name: id,
  }));
  const previews: Previews = new Map<string, Preview | 'missing'>([
    ['a', preview()],
    ['b', preview(2)],
    ['c', 'missing'],
  ]);
  expect(makeDeletionPlan(targets, previews)).toEqual({
    deletable: [targets[0]],
    blocked: [{ ...targets[1], runningRuns: 2 }],
    missing: [targets[2]],
    unknown: [targets[3]],
  });
});

describe('the number to type', () => {
  test('is the total number of runs, from eleven on', () => {
    expect(getNumberToType(0)).toBeNull();
    expect(getNumberToType(10)).toBeNull();
    expect(getNumberToType(11)).toBe(11);
  });

  test('may contain spaces around it and between thousands, and nothing else', () => {
    expect(isConfirmed(1234, ' 1\u2009234 ')).toBe(true);
    for (const typed of ['', '123', '12345', '0x4d2']) expect(isConfirmed(1234, typed)).toBe(false);
    expect(isConfirmed(null, '')).toBe(true);
  });

  test('counts only deletable targets', () => {
    const targets = getTargets(3);
    const previews = new Map(targets.map(({ id }, index) => [id, preview(index)]));
    expect(getPreviewsOf(makeDeletionPlan(targets, previews).deletable, previews)).toEqual([
      preview(),
    ]);
  });
});

test('makeRemovedRows adds up all experiments, kinds without rows included', () => {
  const rows = makeRemovedRows([preview(), preview()]);
  expect(rows).toHaveLength(9);
  expect(rows).toContainEqual({ label: 'Iterations', count: 2400 });
  expect(rows).toContainEqual({ label: 'Checkpoints', count: 0 });
  expect(rows).toContainEqual({ label: 'Artifact directories', count: 2 });
});

test('makeRemovedRows lists trials, optimizers, aggregates and experiments of a campaign', () => {
  const campaign = {
    trialsDeleted: 48,
    optimizersDeleted: 2,
    aggregatesDeleted: 4,
    experimentsDeleted: 48,
  };
  const rows = makeRemovedRows([{ ...preview(), ...campaign }]);
  expect(rows).toHaveLength(13);
  expect(rows.slice(0, 2)).toEqual([
    { label: 'Trials', count: 48 },
    { label: 'Optimizers', count: 2 },
  ]);
  expect(formatTargets([{ kind: 'campaign', id: 'a', name: 'a' }])).toBe('1 campaign');
});

test('formatRemoved omits artifacts when there were none', () => {
  expect(formatRemoved(preview())).toBe('2 runs, 1\u2009200 iterations, 1 artifact directory');
  const bare = { ...preview(), runsDeleted: 1, artifactDirectoriesDeleted: 0 };
  expect(formatRemoved(bare)).toBe('1 run, 1\u2009200 iterations');
  expect(formatRemoved({ ...bare, annotationsDeleted: 1 })).toBe(
    '1 run, 1\u2009200 iterations, 1 note',
  );
});
