/** The values without one that is among them, else with it at their end. */
export function toggled<Value>(values: Iterable<Value>, value: Value): Value[] {
  const all = [...values];
  return all.includes(value) ? all.filter((other) => other !== value) : [...all, value];
}
