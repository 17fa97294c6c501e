/** Returns the listed names: chosen ones that are not among the options, such as deleted ones, before the options. */
export function getChoices(options: readonly string[], selection: readonly string[]): string[] {
  return [...selection.filter((name) => !options.includes(name)), ...options];
}

/** Returns the selection after a click on one of `choices`, in their order. An empty selection stands for all. */
export function toggleChoice(
  choices: readonly string[],
  selection: readonly string[],
  name: string,
): string[] {
  const isChosen = (one: string): boolean => selection.length === 0 || selection.includes(one);
  const next = choices.filter((one) => isChosen(one) !== (one === name));
  return next.length === choices.length ? [] : next;
}
