/**
 * Returns the displayed name of an optimizer by its stored name: the display name of the algorithm with this name, else the
 * stored name. If several algorithms have the same display name, the stored name follows in parentheses. An optimizer
 * named "DE (run 2)", as in a comparison of campaigns, keeps its suffix.
 */
export function nameOptimizers(
  algorithms: readonly { id: string; displayName: string | null }[],
): (optimizer: string) => string {
  const named = algorithms.flatMap(({ id, displayName }) =>
    displayName === null ? [] : [{ id, displayName }],
  );
  if (named.length === 0) return (optimizer) => optimizer;
  const uses = Map.groupBy(named, ({ displayName }) => displayName);
  const names = new Map(
    named.map(({ id, displayName }) => [
      id,
      uses.get(displayName)?.length === 1 ? displayName : `${displayName} (${id})`,
    ]),
  );
  return (optimizer) => {
    const own = names.get(optimizer);
    if (own !== undefined) return own;
    const [, id = '', suffix = ''] = /^(.+?)( \(.*\))$/s.exec(optimizer) ?? [];
    const name = names.get(id);
    return name === undefined ? optimizer : `${name}${suffix}`;
  };
}
