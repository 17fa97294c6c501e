import type { SelectOption } from '#renderer/components/Select.tsx';

/** The options of a filter by one of these values, "any" ('') first; with `counts`, how many rows have each. */
export function facetOptions(
  values: readonly string[],
  counts?: Readonly<Record<string, number>>,
): SelectOption[] {
  return [
    { value: '', label: 'any' },
    ...values.map((value) => ({
      value,
      label: value,
      ...(counts && { count: counts[value] ?? 0 }),
    })),
  ];
}
