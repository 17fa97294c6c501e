/** Returns the listed names: chosen ones that are not among the options, such as deleted ones, before the options. */
export function getChoices(options: readonly string[], selection: readonly string[]): string[] {
  return [...selection.filter((name) => !options.includes(name)), ...options];
}

/** Returns whether a name is chosen; an empty selection means all. */
export function isChosen(selection: readonly string[], name: string): boolean {
  return selection.length === 0 || selection.includes(name);
}

/** Returns the selection after a click on one of `choices`, in their order. An empty selection means all. */
export function toggleChoice(
  choices: readonly string[],
  selection: readonly string[],
  name: string,
): string[] {
  const next = choices.filter((choice) => isChosen(selection, choice) !== (choice === name));
  return next.length === choices.length ? [] : next;
}
