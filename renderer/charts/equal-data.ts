/**
 * Returns whether two values of plain data are deeply equal: texts, numbers (NaN equals NaN), arrays and objects of
 * those.
 */
export function isEqualData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isEqualData(one[key as keyof typeof one], other[key as keyof typeof other]),
  );
}
