import { describe, expect, test } from 'vitest';
import { chiSquaredUpperTail } from '#server/stats/distributions.ts';
import { upperGammaOfLargeShape } from '#server/stats/upper-gamma.ts';
import { expectClose } from './oracle.ts';

// By the finite sum for whole degrees of freedom, in 60-digit arithmetic.
const reference: [x: number, degrees: number, tail: number][] = [
  [150.5, 201, 0.9968642800180025],
  [201, 201, 0.48673432806026745],
  [350, 201, 3.7091537991438944e-10],
  [480.5, 500, 0.7269767066473806],
  [500, 500, 0.491589373031009],
  [900, 500, 2.838947955130477e-25],
  [700, 999, 0.9999999999999654],
  [1000, 1000, 0.49405285382923964],
  [1500, 1000, 1.0454640385979658e-22],
  [2695.75, 1000, 1.3600426115911075e-155],
  [4999, 5000, 0.5013300011962059],
  [5000, 5000, 0.4973403788923451],
  [6000, 5000, 2.5217184417547448e-21],
  [9000, 5000, 3.896252492263359e-233],
  [25000, 20000, 3.681519716987669e-119],
];

describe('χ² with many degrees of freedom', () => {
  test.each(reference)('has above %d with %d degrees the tail %d', (x, degrees, tail) => {
    expectClose(chiSquaredUpperTail(x, degrees), tail);
  });

  test('joins the library where it takes over', () => {
    for (const x of [120, 200, 300, 600]) {
      const [below, above] = [200, 200.000001].map((degrees) => chiSquaredUpperTail(x, degrees));
      expectClose(above, below, 1e-5);
      expectClose(upperGammaOfLargeShape(100, x / 2), below);
    }
  });
});

test('nothing is above infinity, all is above 0, and NaN stays NaN', () => {
  expect(upperGammaOfLargeShape(200, 0)).toBe(1);
  expect(upperGammaOfLargeShape(200, -1)).toBe(1);
  expect(upperGammaOfLargeShape(200, 1e6)).toBe(0);
  expect(upperGammaOfLargeShape(200, NaN)).toBeNaN();
});
