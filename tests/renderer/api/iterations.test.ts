import { describe, expect, test } from 'vitest';
import { appendIterations, resumePoint } from '#renderer/api/iterations.ts';
import type { IterationRow } from '#shared/schemas/run.ts';

function row(iteration: number, changed: Partial<IterationRow> = {}): IterationRow {
  return {
    iteration,
    evaluations: iteration * 100,
    bestFitness: iteration,
    meanFitness: null,
    stdFitness: null,
    createdAt: `2026-11-21T10:00:0${iteration}Z`,
    populationSize: 100,
    eliteSize: null,
    adaptiveActions: 0,
    ...changed,
  };
}

describe('resumePoint', () => {
  test('asks for everything while nothing is held', () => {
    expect(resumePoint(undefined)).toBeUndefined();
    expect(resumePoint([])).toBeUndefined();
  });

  test('lies one before the last held row, so that this row is read again', () => {
    expect(resumePoint([row(0), row(1), row(5)])).toBe(4);
  });

  test('asks for everything when the last number is beyond what can be counted', () => {
    expect(resumePoint([row(0, { iteration: '9223372036854775807' })])).toBeUndefined();
  });
});

describe('appendIterations', () => {
  const held = Object.freeze([row(0), row(1), row(2)]);

  test('adds what is new behind rows that keep their identity', () => {
    const merged = appendIterations(held, [row(2), row(3), row(4)]);
    expect(merged?.map((item) => item.iteration)).toEqual([0, 1, 2, 3, 4]);
    expect(merged?.[2]).toBe(held[2]);
  });

  test('gives the very same array when nothing is new', () => {
    expect(appendIterations(held, [row(2)])).toBe(held);
  });

  test('gives null when the last row was written anew, as earlier rows may differ too', () => {
    const rewritten = row(2, { createdAt: '2026-11-21T11:00:00Z' });
    expect(appendIterations(held, [rewritten, row(3)])).toBeNull();
  });

  test('gives null when the last row is gone, as after a resume from an older checkpoint', () => {
    expect(appendIterations(held, [])).toBeNull();
    expect(appendIterations(held, [row(3)])).toBeNull();
  });

  test('gives null when nothing was held', () => {
    expect(appendIterations([], [row(0)])).toBeNull();
  });
});
