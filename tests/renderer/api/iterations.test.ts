import { describe, expect, test } from 'vitest';
import { appendIterations, getResumePoint } from '#renderer/api/iterations.ts';
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

describe('getResumePoint', () => {
  test('is undefined without cached rows, which requests all rows', () => {
    expect(getResumePoint(undefined)).toBeUndefined();
    expect(getResumePoint([])).toBeUndefined();
  });

  test('is one before the last cached row, which is read again', () => {
    expect(getResumePoint([row(0), row(1), row(5)])).toBe(4);
  });

  test('is undefined if the last number is not a safe integer', () => {
    expect(getResumePoint([row(0, { iteration: '9223372036854775807' })])).toBeUndefined();
  });
});

describe('appendIterations', () => {
  const cachedRows = Object.freeze([row(0), row(1), row(2)]);

  test('adds new rows after the cached rows, which stay the same objects', () => {
    const merged = appendIterations(cachedRows, [row(2), row(3), row(4)]);
    expect(merged?.map((item) => item.iteration)).toEqual([0, 1, 2, 3, 4]);
    expect(merged?.[2]).toBe(cachedRows[2]);
  });

  test('returns the same array without new rows', () => {
    expect(appendIterations(cachedRows, [row(2)])).toBe(cachedRows);
  });

  test('returns null if the last row was rewritten, because earlier rows can differ too', () => {
    const rewritten = row(2, { createdAt: '2026-11-21T11:00:00Z' });
    expect(appendIterations(cachedRows, [rewritten, row(3)])).toBeNull();
  });

  test('returns null if the last row is missing, as after a resume from an older checkpoint', () => {
    expect(appendIterations(cachedRows, [])).toBeNull();
    expect(appendIterations(cachedRows, [row(3)])).toBeNull();
  });

  test('returns null without cached rows', () => {
    expect(appendIterations([], [row(0)])).toBeNull();
  });
});
