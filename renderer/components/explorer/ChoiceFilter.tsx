import { For, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { Option } from './filters.ts';
import { PopoverFilter } from './PopoverFilter.tsx';

interface ChoiceFilterProps {
  label: string;
  options: readonly Option[];
  /** Any of these; every one when empty. */
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** A filter by several values: "Algorithm umda, pbil ▾". A chosen value that is no option is listed too. */
export function ChoiceFilter(props: ChoiceFilterProps): JSX.Element {
  const options = (): readonly Option[] => {
    const known = new Set(props.options.map(({ value }) => value));
    return [
      ...props.chosen.filter((value) => !known.has(value)).map((value) => ({ value })),
      ...props.options,
    ];
  };
  const toggle = (value: string): void =>
    props.onChange(
      props.chosen.includes(value)
        ? props.chosen.filter((other) => other !== value)
        : [...props.chosen, value],
    );
  return (
    <PopoverFilter
      label={props.label}
      summary={props.chosen.join(', ') || 'any'}
      onClear={() => props.onChange([])}
    >
      <ul class="choice-list">
        <For each={options()}>
          {(option) => (
            <li>
              <label class="check">
                <input
                  type="checkbox"
                  checked={props.chosen.includes(option.value)}
                  onChange={() => toggle(option.value)}
                />
                <span class="choice-value">{option.value}</span>
                <Show when={option.count !== undefined}>
                  <span class="menu-count">{formatCount(option.count)}</span>
                </Show>
              </label>
            </li>
          )}
        </For>
      </ul>
    </PopoverFilter>
  );
}
