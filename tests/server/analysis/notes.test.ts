import { expect, test } from 'vitest';
import {
  formatNounCount,
  makeNoteIf,
  makeObjectiveNotes,
  makeRunNotes,
  makeTargetNotes,
} from '#server/analysis/notes.ts';
import { makeObjective, makeRun, addTraces } from './sample-runs.ts';

test('counts come with their noun', () => {
  expect([formatNounCount(0, 'run'), formatNounCount(1, 'run'), formatNounCount(2, 'run')]).toEqual(
    ['0 runs', '1 run', '2 runs'],
  );
});

test('makeNoteIf returns a note only if its condition holds', () => {
  expect(makeNoteIf(false, 'NO_RUNS')).toEqual([]);
  expect(makeNoteIf(true, 'NO_RUNS')).toEqual([
    { code: 'NO_RUNS', message: 'The experiment has no runs.' },
  ]);
});

test('a note states an assumed or observed direction', () => {
  const assumedNotes = makeObjectiveNotes(
    { ...makeObjective('min', 1), directionSource: 'default' },
    [],
  );
  expect(assumedNotes.at(-1)?.message).toBe(
    'The direction of fitness is unknown; the analysis assumes minimisation.',
  );
  const observedNotes = makeObjectiveNotes(
    { ...makeObjective('max', 1), directionSource: 'trace' },
    [],
  );
  expect(observedNotes.at(-1)?.message).toBe(
    'The analysis assumes maximisation of fitness, because it moves that way in most runs.',
  );
});

test('suggested targets have all digits if they differ only beyond the sixth', () => {
  const runs = [1.0000003, 1.0000002, 1.0000001].map((bestFitness, index) =>
    makeRun(`r${index}`, [[10, bestFitness]], { bestFitness }),
  );
  const tracedRuns = addTraces(runs, { direction: 'min' });
  const [note] = makeTargetNotes(tracedRuns, () => null, makeObjective('min', null));
  expect(note?.message).toContain(
    'Suggestions, chosen from these data: 1.0000003 (reached by 3 of 3), 1.0000002 (reached by 2 of 3), ' +
      '1.0000001 (reached by 1 of 3).',
  );
});

test('completed runs with data get no note', () => {
  const runs = [makeRun('r1', [[10, 1]], { bestFitness: 1 })];
  expect(makeRunNotes(addTraces(runs, { direction: 'min' }), true)).toEqual([]);
});

test('an infinite best fitness is not a valid result if it is better than any finite one', () => {
  const runs = [Infinity, -Infinity].map((bestFitness, index) =>
    makeRun(`r${index}`, [[10, 1]], { bestFitness, status: 'STOPPED' }),
  );
  for (const direction of ['min', 'max'] as const) {
    const tracedRuns = addTraces(runs, { direction });
    const notes = makeRunNotes(tracedRuns, true).slice(1);
    expect(notes).toEqual([
      {
        code: 'INFINITELY_GOOD_FITNESS',
        message:
          '1 run with an infinite best fitness in the direction of improvement, which is not a valid result: it reaches no ' +
          'target, and tests use the best finite fitness of the iterations.',
      },
    ]);
    const badRuns = tracedRuns.filter((_run, index) => (index === 0) === (direction === 'min'));
    expect(makeRunNotes(badRuns, true)).toHaveLength(1);
  }
});

test('running, idle, failed and valueless runs are each counted', () => {
  const runs = [
    makeRun('r1', [[10, 1]], { status: 'RUNNING' }),
    makeRun('r2', [], { status: 'FAILED' }),
    makeRun('r3', [[10, 1]], { bestFitness: null }),
  ];
  const getMessages = (countAsUnsolved: boolean) =>
    makeRunNotes(addTraces(runs, { direction: 'min' }), countAsUnsolved).map(
      ({ message }) => message,
    );
  expect(getMessages(false)[0]).toBe('1 run still running.');
  expect(getMessages(true)).toEqual([
    '1 run still running; it counts as unsolved until it reaches the target.',
    '1 run without evaluations: counted as a run, but adds nothing to the sums.',
    '2 runs have not completed; the distribution of final fitness omits them.',
    '1 completed run without a best fitness, omitted.',
  ]);
});
