import { createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import {
  formatDimension,
  getPooledDimension,
  makePooledNotes,
  makeViewEntry,
} from '#renderer/pages/campaign/ecdf-entry.ts';
import { makeTargetEcdfFigure } from '#renderer/charts/figures/target-ecdf.ts';

function makePanels(dimensions: readonly number[]) {
  const frame = { budget: 1, budgetSetBy: null, absent: [], curves: [] };
  return dimensions.map((dimension) => ({ ...frame, dimension }));
}

test('the title and the notes of a chart of one ECDF follow a step to another dimension', () => {
  const [dimension, setDimension] = createSignal(2);
  const words = {
    get title() {
      return `Runtime ECDF, dimension ${dimension()}`;
    },
    get note() {
      return `Note on dimension ${dimension()}`;
    },
  };
  const entry = makeViewEntry(words, {
    describe: () => '',
    figure: () => makeTargetEcdfFigure({ curves: [], largestBudget: null }, () => 0),
    notes: () => ['Another note'],
  });
  setDimension(3);
  expect(entry.title).toBe('Runtime ECDF, dimension 3');
  expect(entry.notes?.()).toEqual(['Note on dimension 3', 'Another note']);
});

test('the dimension 0 is named as unknown, also of pooled curves that have no other', () => {
  expect([0, 5].map(formatDimension)).toEqual(['Unknown dimension', 'Dimension 5']);
  const pooled = (...dimensions: number[]) =>
    getPooledDimension({ panels: makePanels(dimensions) });
  expect([pooled(0), pooled(0, 5), pooled(5), pooled()]).toEqual([0, ...Array(3)]);
});

test('pooled curves note that they omit the unknown dimension, if there are others', () => {
  const notes = (...dimensions: number[]) => makePooledNotes({ panels: makePanels(dimensions) });
  expect(notes(0, 5)).toEqual([expect.stringMatching(/unknown dimension are omitted/)]);
  expect([notes(0), notes(5), notes()]).toEqual([[], [], []]);
});
