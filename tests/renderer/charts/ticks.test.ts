import { describe, expect, test } from 'vitest';
import { makeNamedTicks, getTextWidth, getTicks, type Tick } from '#renderer/charts/ticks.ts';

const atMost = (count: number) => (ticks: readonly Tick[]) => ticks.length <= count;
const labels = (ticks: readonly Tick[]) =>
  ticks.map(({ label, exponent }) => (exponent === undefined ? label : `${label}^${exponent}`));

describe('getTicks', () => {
  test('has as many round places as have room', () => {
    expect(labels(getTicks([0, 100], 'linear', atMost(6)))).toEqual([
      '0',
      '20',
      '40',
      '60',
      '80',
      '100',
    ]);
    expect(labels(getTicks([0, 100], 'linear', atMost(3)))).toEqual(['0', '50', '100']);
    expect(labels(getTicks([0, 0.3], 'linear', atMost(4)))).toEqual(['0', '0.1', '0.2', '0.3']);
  });

  test('counts in whole steps where the axis does, also when zoomed in', () => {
    expect(labels(getTicks([2.5, 5.2], 'linear', atMost(10), true))).toEqual(['3', '4', '5']);
  });

  test('writes thousands with a thin space, and what is too long for that in powers of ten', () => {
    expect(labels(getTicks([0, 120_000], 'linear', atMost(3)))).toEqual([
      '0',
      '50\u2009000',
      '100\u2009000',
    ]);
    expect(labels(getTicks([0, 3e9], 'linear', atMost(4)))).toEqual([
      '0',
      '10^9',
      '2·10^9',
      '3·10^9',
    ]);
  });

  test('is at 1, 2 and 5 of a short log axis, and at powers of a long one', () => {
    expect(labels(getTicks([50, 1200], 'log', atMost(8)))).toEqual([
      '50',
      '100',
      '200',
      '500',
      '1\u2009000',
    ]);
    expect(labels(getTicks([1e-17, 100], 'log', atMost(5)))).toEqual([
      '10^−16',
      '10^−12',
      '10^−8',
      '10^−4',
      '1',
    ]);
    expect(labels(getTicks([1, 1e4], 'log', atMost(5)))).toEqual([
      '1',
      '10',
      '100',
      '1\u2009000',
      '10\u2009000',
    ]);
  });

  test('is linear on a log axis that is shorter than a decade', () => {
    expect(labels(getTicks([3, 5], 'log', atMost(3)))).toEqual(['3', '4', '5']);
  });

  test('keeps the last tick of the axis', () => {
    expect(getTicks([0, 0.3], 'linear', atMost(4)).at(-1)?.value).toBe(0.3);
    expect(getTicks([10, 1000], 'log', atMost(3)).at(-1)?.value).toBe(1000);
  });

  test('has none on an axis without length', () => {
    expect(getTicks([1, 1], 'linear', atMost(5))).toEqual([]);
    expect(getTicks([Number.NaN, 1], 'linear', atMost(5))).toEqual([]);
  });
});

test('a text is taken to be as wide as its characters, thin ones less', () => {
  expect(getTextWidth('1.1', 10)).toBeLessThan(getTextWidth('111', 10));
  expect(getTextWidth('', 10)).toBe(0);
});

describe('makeNamedTicks', () => {
  const ticks = [
    'umda',
    'DoubleDoerrOptimisticNoisyDiscreteOnePlusOneOptimizer',
    'pbil',
    'cga',
  ].map((label, value) => ({ value, label }));

  test('are whole where they have room, else both ends of a name', () => {
    expect(makeNamedTicks(ticks.slice(2), 60, 11)).toEqual(ticks.slice(2));
    const [first, second] = makeNamedTicks(ticks, 100, 11);
    expect(first?.label).toBe('umda');
    expect(second?.label).toMatch(/^DoubleDo\w*…\w+$/);
    expect(getTextWidth(second?.label ?? '', 11)).toBeLessThanOrEqual(89);
  });

  test('name every so many places only where no name has room', () => {
    const many = Array.from({ length: 50 }, (_, value) => ({ value, label: `optimizer ${value}` }));
    const shown = makeNamedTicks(many, 10, 11);
    expect(shown.length).toBeGreaterThan(0);
    shown.forEach(({ value, label }, index) => {
      const next = shown[index + 1]?.value ?? Infinity;
      expect(getTextWidth(label, 11)).toBeLessThan((next - value) * 10);
    });
  });

  test('name as many places as short names have room for', () => {
    const many = Array.from({ length: 40 }, (_, value) => ({ value, label: `v${value}` }));
    expect(makeNamedTicks(many, 10, 11).map(({ value }) => value)).toEqual([
      0, 4, 8, 12, 16, 20, 24, 28, 32, 36,
    ]);
  });
});
