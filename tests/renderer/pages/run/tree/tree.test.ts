import { describe, expect, test } from 'vitest';
import { placeNodes, simplify } from '#renderer/pages/run/tree/tree-layout.ts';
import {
  getFirstBox,
  getMovedBox,
  getWholeBox,
  getZoomedBox,
} from '#renderer/pages/run/tree/view-box.ts';
import type { TreeNode } from '#shared/schemas/tree.ts';

const rule = (operator: string | null, ...children: TreeNode[]): TreeNode => ({
  kind: 'rule',
  depth: 0,
  outputType: 'REAL',
  nonTerminal: 'Expr',
  operator,
  children,
});
const terminal = (symbol: string, sampledValue: number | null = null): TreeNode => ({
  kind: 'terminal',
  depth: 0,
  outputType: 'REAL',
  symbol,
  sampledValue,
  children: [],
});

const sum = rule('+', rule(null, terminal('x')), rule('sin', rule(null, terminal('ERC', 0.25))));

describe('placeNodes', () => {
  test('puts leaves side by side and a parent over the middle of its children', () => {
    const wide = rule('max', terminal('a'), terminal('b'), rule('+', terminal('c'), terminal('d')));
    expect(placeNodes(wide).map(({ label, x, depth }) => [label, x, depth])).toEqual([
      ['max', 1.25, 0],
      ['a', 0, 1],
      ['b', 1, 1],
      ['+', 2.5, 1],
      ['c', 2, 2],
      ['d', 3, 2],
    ]);
  });

  test('names operators, terminals by their symbol or sampled value, and rules by their non-terminal', () => {
    expect(placeNodes(sum).map(({ label }) => label)).toEqual([
      '+',
      'Expr',
      'x',
      'sin',
      'Expr',
      '0.25',
    ]);
  });

  test('has the full value of a rounded constant in its tooltip', () => {
    const titleOf = (value: number) => {
      const [node] = placeNodes(terminal('ERC', value));
      return [node?.label, node?.title];
    };
    expect(titleOf(123_456)).toEqual(['123460', '123456 · REAL']);
    expect(titleOf(0.25)).toEqual(['0.25', 'REAL']);
  });

  test('never puts two nodes of a level into one place, deep or wide', () => {
    const grow = (depth: number): TreeNode =>
      depth === 0 ? terminal('x') : rule('+', grow(depth - 1), grow(depth - 1));
    const nodes = placeNodes(grow(9));
    expect(nodes).toHaveLength(1023);
    expect(new Set(nodes.map(({ x, depth }) => `${x} ${depth}`)).size).toBe(1023);
  });
});

test('a tree is simplified by omitting rules that only pass their child on', () => {
  expect(placeNodes(simplify(sum)).map(({ label }) => label)).toEqual(['+', 'x', 'sin', '0.25']);
  expect(simplify(rule(null, terminal('x')))).toEqual(terminal('x'));
});

describe('what is seen of a tree', () => {
  const whole = getWholeBox(
    [
      { x: 0, y: 0 },
      { x: 100, y: 40 },
    ],
    { x: 10, y: 5 },
  );

  test('is all of it with a margin', () => {
    expect(whole).toEqual({ x: -10, y: -5, width: 120, height: 50 });
  });

  test('is initially only as large as can be read, from the top around the root', () => {
    expect(getFirstBox(whole, 0, { x: 120, y: 50 })).toBe(whole);
    const wide = { x: 0, y: 0, width: 2_000, height: 100 };
    expect(getFirstBox(wide, 700, { x: 200, y: 100 })).toEqual({
      x: 600,
      y: 45,
      width: 200,
      height: 10,
    });
    const deep = { x: 0, y: 0, width: 100, height: 2_000 };
    expect(getFirstBox(deep, 30, { x: 200, y: 100 })).toEqual({
      x: 27.5,
      y: 0,
      width: 5,
      height: 100,
    });
  });

  test('has a minimum size, with few nodes in its middle', () => {
    const few = getWholeBox([{ x: 0, y: 0 }], { x: 10, y: 5 }, { x: 100, y: 50 });
    expect(few).toEqual({ x: -50, y: -25, width: 100, height: 50 });
  });

  test('is zoomed around its middle, within bounds, and back', () => {
    const near = getZoomedBox(whole, whole, 2);
    expect(near).toEqual({ x: 20, y: 7.5, width: 60, height: 25 });
    expect(getZoomedBox(near, whole, 0.5)).toEqual(whole);
    expect(getZoomedBox(whole, whole, 1e9).width).toBe(3);
    expect(getZoomedBox(whole, whole, 1e-9).width).toBe(240);
  });

  test('moves by shares of itself', () => {
    expect(getMovedBox(whole, 0.5, -1)).toEqual({ x: 50, y: -55, width: 120, height: 50 });
  });
});
