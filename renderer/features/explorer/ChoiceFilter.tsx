import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { SearchableList } from '#renderer/ui/SearchableList.tsx';
import { toggleValue } from '#renderer/state/toggle-value.ts';
import type { Option } from './filters.ts';
import { any, PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';
import './explorer.css';

interface ChoiceFilterProps {
  label: string;
  options: readonly Option[];
  /** Any of these; all values when empty. */
  selection: readonly string[];
  onChange: (selection: readonly string[]) => void;
}

/** A filter by several values: "Algorithm umda, pbil ▾". A chosen value outside the options is listed too. */
export function ChoiceFilter(props: ChoiceFilterProps): JSX.Element {
  const labels = createMemo(
    () => new Map(props.options.map(({ value, label }) => [value, label ?? value])),
  );
  const getLabel = (value: string): string => labels().get(value) ?? value;
  const counts = createMemo(() => new Map(props.options.map(({ value, count }) => [value, count])));
  // Keyed by value, so that a new count keeps the focused checkbox in place.
  const values = createMemo(() => [
    ...props.selection.filter((value) => !counts().has(value)),
    ...counts().keys(),
  ]);
  const toggle = (value: string): void => props.onChange(toggleValue(props.selection, value));
  return (
    <PopoverFilter
      label={props.label}
      summary={props.selection.map(getLabel).join(', ') || any}
      onClear={() => props.onChange([])}
    >
      <SearchableList
        of={`values of ${props.label.toLowerCase()}`}
        items={values()}
        getName={getLabel}
      >
        {(value) => (
          <Check checked={props.selection.includes(value)} onChange={() => toggle(value)}>
            <span class="choice-value clip">{getLabel(value)}</span>
            <Show when={counts().get(value) !== undefined}>
              <span class="menu-count">{formatCount(counts().get(value))}</span>
            </Show>
          </Check>
        )}
      </SearchableList>
    </PopoverFilter>
  );
}
