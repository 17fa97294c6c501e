/** Returns the values without the given one if it is among them, else with it at the end. */
export function toggleValue<Value>(values: Iterable<Value>, value: Value): Value[] {
  const all = [...values];
  return all.includes(value) ? all.filter((other) => other !== value) : [...all, value];
}
